"""Places of Japan, China and the world by their Chinese characters: where somebody works *in*, never whom *for*."""

from __future__ import annotations

from typing import Final

PLACES: Final = frozenset(
    "東京 大阪 京都 横浜 名古屋 札幌 福岡 神戸 仙台 広島 北海道 沖縄 埼玉 千葉 神奈川 奈良 新潟 静岡 長野"
    " 金沢 那覇 渋谷 新宿 池袋 品川 銀座 梅田 関西 関東 九州 四国 東北 日本 海外 国内 国外 外国 地元 田舎"
    " 都内 都会 県外 北京 上海 广州 廣州 深圳 杭州 南京 苏州 蘇州 成都 重庆 重慶 武汉 武漢 西安 天津 青岛"
    " 青島 厦门 廈門 长沙 長沙 郑州 鄭州 大连 大連 宁波 寧波 合肥 昆明 沈阳 瀋陽 哈尔滨 哈爾濱 济南 濟南"
    " 福州 无锡 無錫 东莞 東莞 佛山 珠海 海南 三亚 浦东 浦東 香港 澳门 澳門 台北 臺北 台中 臺中 台南 臺南"
    " 高雄 新竹 台湾 臺灣 台灣 中国 中國 美国 美國 英国 英國 韩国 韓國 法国 法國 德国 德國 加拿大 新加坡"
    " 澳洲 澳大利亚 澳大利亞 东京 首尔 首爾 纽约 紐約 伦敦 倫敦 巴黎 柏林 硅谷 矽谷 欧洲 歐洲 國外 國內"
    " 外地 本地 老家 乡下 鄉下 农村 農村 城里 城裡 市中心 ヨーロッパ アメリカ イギリス フランス ドイツ"
    " カナダ オーストラリア シンガポール タイ ベトナム インド パリ ロンドン ニューヨーク ベルリン"
    " ロサンゼルス シリコンバレー".split()
)
REGIONS: Final = tuple("市 省 县 縣 区 區 国 國 州 路 街 镇 鎮 村 都 府 県 町 島 岛 島 半岛".split())


def is_place(text: str) -> bool:
    """Whether it names a place rather than whoever employs people there."""
    return text in PLACES or text.endswith(REGIONS)
