"""Words that people say for one relation, in English, Japanese, Chinese, Korean and Thai; a kind to a paragraph.

The first words of a kind are general (parent), those behind each stroke are of one sort (mother; father): they ask
for
their own sort and for the general. A kind is called by its first word. A predicate of several words stands with
underscores. A word may be of several kinds.
"""

from __future__ import annotations

from typing import Final

KINDS: Final = """
spouse partner married marry marriage wed consort couple sweetheart darling fiance fiancee family 家族 家人 가족
ครอบครัว 配偶者 結婚相手
配偶 爱人 愛人 배우자 คู่สมรส
/ husband hubby 夫 旦那 丈夫 老公 남편 สามี
/ wife 妻 奥さん 妻子 老婆 太太 媳妇 媳婦 아내 부인 와이프 집사람 ภรรยา

parent family 家族 家人 가족 ครอบครัว 親 両親 父母 부모 พ่อแม่
/ mother mom mum mommy mummy ma mama 母 母親 お母さん 母亲 妈妈 媽媽 어머니 엄마 แม่ มารดา
/ father dad daddy pa papa 父 父親 お父さん 父亲 爸爸 아버지 아빠 พ่อ บิดา

child children kid heir offspring baby family 家族 家人 가족 ครอบครัว 子供 子ども 孩子 子女 자녀 아이 ลูก บุตร
/ son 息子 儿子 兒子 아들 ลูกชาย
/ daughter 娘 女儿 女兒 딸 ลูกสาว

sibling family 家族 家人 가족 ครอบครัว 兄弟姉妹 兄弟姐妹 형제자매 พี่น้อง
/ brother 兄弟 兄 弟 哥哥 弟弟 형제 형 오빠 남동생 พี่ชาย น้องชาย
/ sister 姉妹 姉 妹 姐妹 姐姐 妹妹 자매 누나 언니 여동생 พี่สาว น้องสาว

friend buddy pal 友達 友人 親友 朋友 好友 친구 เพื่อน

manager boss supervisor superior head lead leader reports_to 上司 部長 经理 經理 老板 老闆 主管 领导 상사
매니저 팀장 หัวหน้า เจ้านาย

report reports direct_report direct_reports subordinate 部下 下属 下屬 부하 ลูกน้อง

colleague coworker teammate 同僚 同事 동료 เพื่อนร่วมงาน

employer company firm work employed workplace 会社 勤務先 勤め先 雇用主 公司 雇主 单位 單位 회사 직장 บริษัท
ที่ทำงาน ทำงาน 勤めて 働いて 働く 上班 근무 일해 일하 일합니

employee staff 社員 従業員 员工 員工 직원 พนักงาน

profession occupation job career work trade role job_title position 職業 仕事 役職 职业 工作 职位 職位 직업
직책 직무 อาชีพ งาน ตำแหน่ง

location address headquarters headquartered hq residence home live reside dwell located place city based
住所 住まい 住む 住んで 住在 居住地 所在地 場所 地址
住址 位置 地点 地點 住哪 주소 거주지 위치 장소 살아 살고
사는 삽니 사나요 사시는 ที่อยู่ บ้าน สถานที่ อาศัย อาศัยอยู่ อยู่ที่ อยู่ไหน

birthplace place_of_birth birth_place born birth hometown native 出身 出身地 出生地 故乡 故鄉 家乡 家鄉 출생지
고향 출신 บ้านเกิด

birthday birthdate date_of_birth birth_date born birth old age 誕生日 何歳 几岁 幾歲 多大 生年月日 生日 出生日期
생일 생년월일 วันเกิด

deathplace place_of_death death_place died die death 没地 死亡地点 死亡地點 사망지

date_of_death death_date died die death 命日 没年 忌日 사망일

cause_of_death death_cause cause reason die killed 死因 원인 사인 สาเหตุ

religion faith belief creed denomination 宗教 信仰 종교 신앙 ศาสนา

nationality country citizenship citizen nation 国籍 國籍 国 国家 國家 국적 나라 국가 สัญชาติ ประเทศ

gender sex 性別 性别 성별 เพศ

institution school university college education alma_mater studied study attend graduate 大学 大學 学校 學校
母校 出身校 学歴 学历 학교 대학교 모교 โรงเรียน มหาวิทยาลัย

ethnicity race ethnic 民族 민족

language tongue speak 言語 語言 语言 母語 母语 언어 모국어 ภาษา

email mail e-mail email_address reach contact メール メールアドレス 邮箱 郵箱 邮件 이메일 메일 อีเมล

phone telephone mobile cellphone phone_number reach contact call 電話 電話番号 携帯 电话 手机 電話號碼 전화 전화번호
โทรศัพท์

owner own オーナー maintainer responsible 所有者 持ち主 担当 担当者 负责人 負責人 主人 소유자 담당자 주인 เจ้าของ
ผู้รับผิดชอบ

author writer wrote write creator create 作者 著者 作家 저자 작가 ผู้เขียน ผู้แต่ง

founder found founded started 創業者 創設者 创始人 創始人 설립자 창업자 ผู้ก่อตั้ง

preference prefer favorite favourite like love support fan 好み 好き 喜好 偏好 喜欢 喜歡 선호 취향 좋아하는 ชอบ

dislike hate avoid 嫌い 苦手 讨厌 討厭 싫어하는 ไม่ชอบ

hobby interest pastime 趣味 爱好 愛好 兴趣 興趣 취미 관심사 งานอดิเรก

pet ペット 宠物 寵物 반려동물 애완동물 สัตว์เลี้ยง
/ dog puppy 犬 愛犬 狗 강아지 สุนัข
/ cat kitten 猫 愛猫 貓 고양이 แมว

team club side squad チーム 球队 球隊 구단 팀 ทีม

price cost fee 価格 値段 料金 价格 價格 费用 가격 비용 ราคา

deadline due_date due 締め切り 期限 截止日期 마감 마감일 กำหนดส่ง

allergy allergies allergic allergen アレルギー 过敏 過敏 알레르기 แพ้

age old years_old how_old 年齢 何歳 年龄 年齡 岁数 歲數 几岁 幾歲 多大 나이 몇살 อายุ

food dish meal cuisine eat eats eaten 食べ物 料理 食べる 食物 饮食 飲食 美食 吃 음식 먹는 먹어 อาหาร กิน

drink beverage drinks 飲み物 飲む 饮料 飲料 喝 음료 마시는 마셔 เครื่องดื่ม ดื่ม

salary income wage pay earn earns 給料 年収 収入 工资 工資 薪水 收入 월급 연봉 수입 เงินเดือน รายได้

medication medicine drug drugs pills prescription 常備薬 服薬 用药 用藥 药物 藥物 吃药 吃藥 복용

car vehicle drive drives 自動車 愛車 汽车 汽車 开车 開車 자동차 차량 รถยนต์

diet dietary 食事制限 忌口 식단 식이
"""

COMPOUNDS: Final = """
mother in law, mothers in law, 義母, 義理の母, 義理のお母さん, お義母さん, 丈母娘: spouse mother
姑, 시어머니, 장모, 장모님, 岳母, 婆婆, แม่ยาย, แม่สามี: spouse mother
father in law, fathers in law, 義父, 義理の父, 義理のお父さん, お義父さん, 老丈人: spouse father
舅, 시아버지, 장인, 장인어른, 岳父, 公公, พ่อตา, พ่อสามี: spouse father
parents in law, in laws: spouse parent
brother in law, brothers in law, 義兄, 義弟, 義理の兄, 義理の弟: spouse brother | sister husband
처남, 大舅子, 小舅子: spouse brother
매형, 매부, 姐夫, 妹夫: sister husband
sister in law, sisters in law, 義姉, 義妹, 義理の姉, 義理の妹: spouse sister | brother wife
처제, 처형: spouse sister
형수, 嫂子, 弟妹: brother wife
son in law, sons in law, 婿, 女婿, 사위, ลูกเขย: child husband
daughter in law, daughters in law, 嫁, 儿媳, 兒媳, 며느리, ลูกสะใภ้: child wife
grandmother, grandma, granny, 祖母, おばあさん, おばあちゃん, 할머니: parent mother
grandfather, grandpa, granddad, 祖父, おじいさん, おじいちゃん, 할아버지: parent father
grandparent, 祖父母, 조부모: parent parent
外婆, 姥姥, 外祖母, 외할머니, คุณยาย, ยายของ: mother mother
外公, 姥爷, 姥爺, 外祖父, 외할아버지: mother father
奶奶, คุณย่า, ย่าของ: father mother
爷爷, 爺爺, ปู่: father father
great grandmother, 曾祖母: parent parent mother
great grandfather, 曾祖父: parent parent father
great grandparent: parent parent parent
great uncle: parent parent brother
great aunt: parent parent sister
grandson, 孫息子, 孙子, 손자: child son
granddaughter, 孫娘, 孙女, 孫女, 손녀: child daughter
grandchild, grandchildren, 孫, 손주: child child
uncle, 叔父, 伯父, おじさん, 삼촌, ลุง: parent brother
aunt, auntie, 叔母, 伯母, おばさん, ป้า: parent sister
叔叔, 伯伯: father brother
舅舅, 외삼촌: mother brother
姑姑, 고모: father sister
姨妈, 姨媽, 이모: mother sister
nephew, 甥, 侄子, 姪子, 外甥: sibling son
niece, 姪, 侄女, 姪女, 外甥女: sibling daughter
조카: sibling child
cousin, いとこ, 従兄弟, 従姉妹, 사촌: parent sibling child
表哥, 表弟, 堂哥, 堂弟: parent sibling son
表姐, 表妹, 堂姐, 堂妹: parent sibling daughter
stepmother, step mother, stepmom, 継母, 继母, 繼母: father wife
stepfather, step father, stepdad, 継父, 继父, 繼父: mother husband
stepson, step son: spouse son
stepdaughter, step daughter: spouse daughter
for a living: profession
"""
"""Relations that are made of others, from the nearest on; behind a stroke another way to make them."""

SYMMETRIC: Final = frozenset({"spouse", "sibling", "friend", "colleague"})
"""Whose fact says the same of both: who is married to Mia has Mia for a spouse."""
INVERSE: Final = {
    "parent": "child",
    "child": "parent",
    "manager": "report",
    "report": "manager",
    "employer": "employee",
    "employee": "employer",
}
"""What a fact of one kind says the other way round."""

GRAMMAR: Final = """
的 是 谁 誰 哪 哪里 哪裡 哪儿 哪个 哪個 什么 什麼 在 叫 了 吗 嗎 呢 请问 請問 告诉 告訴 我 现在 現在 目前 名字 今 何
의 은 는 이 가 을 를 에 에서 누구 어디 무엇 뭐 입니까 인가요 이에요 예요 니까 지금 현재 요
ของ คือ ใคร ที่ไหน ที่ ไหน อะไร เป็น อยู่ ตอนนี้ ชื่อ ครับ ค่ะ คะ อย่างไร
"""
"""What the words of a question are joined by where no spaces do it; it does not count as words."""
