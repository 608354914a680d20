"""Texts written after the first form of the rule: those it was then tuned on, and fresh ones that it never was."""

# ruff: noqa: E501 (the texts stand as they would be pasted)

from typing import Final

Row = tuple[str, str, str, str]
"""Language, document type (empty for what is no document), title, text."""

SEEN: Final[tuple[Row, ...]] = (
    (
        "en",
        "policy",
        "Privacy Notice",
        """Privacy Notice

We collect your name and e-mail address when you register. We use this information to provide the service and to answer your questions. We do not sell personal data. You may ask us at any time to correct or delete your data. We keep records for two years after your last login.
""",
    ),
    (
        "en",
        "reference",
        "Installation",
        """# Installation

1. Download the archive.
2. Unpack it to a folder.
3. Run `setup.sh`.

## Configuration

The file `config.toml` holds these settings:

- `port`: the port to listen on
- `level`: how much is logged

## Uninstalling

Delete the folder.
""",
    ),
    (
        "en",
        "sop",
        "How to open the shop in the morning",
        """How to open the shop in the morning

Unlock the back door first. Switch off the alarm within thirty seconds. Turn on the lights in the showroom and then the till. Count the float and note it in the book. Put the sign out at nine. If the alarm goes off, call the number on the panel and give the code word.
""",
    ),
    (
        "en",
        "reference",
        "Writing style guide",
        """## Writing style guide

- Use the active voice.
- Prefer short sentences.
- Write numbers below ten as words.
- Do not use exclamation marks.
- Spell product names as in the register.
- Put code in backticks.
""",
    ),
    (
        "ja",
        "policy",
        "図書室利用のきまり",
        """図書室利用のきまり

1. 開室時間は九時から十七時までです。
2. 貸出は一人五冊まで、期間は二週間です。
3. 室内での飲食は禁止です。
4. 資料を汚損した場合は弁償していただきます。
5. 退室の際は椅子を元に戻してください。
""",
    ),
    (
        "ja",
        "reference",
        "認証について",
        """認証について

すべての要求には Authorization ヘッダーが必要です。トークンの有効期間は一時間です。期限が切れた場合は 401 を返します。更新用のトークンは一度だけ使用できます。制限は一分あたり六十回です。制限を超えた場合は 429 を返します。
""",
    ),
    (
        "zh-Hans",
        "policy",
        "关于加强办公区域安全管理的通知",
        """关于加强办公区域安全管理的通知

各部门：
为保障办公区域安全，现将有关事项通知如下：
一、进出办公区域须佩戴工牌。
二、外来人员须登记并由接待人员陪同。
三、下班前须关闭电源和门窗。
四、禁止在办公区域内吸烟。
请各部门遵照执行。
""",
    ),
    (
        "zh-Hans",
        "reference",
        "产品使用说明",
        """产品使用说明

开机：长按电源键三秒，指示灯变绿。
配对：打开手机蓝牙，选择设备名称。
充电：使用随附的数据线，充满约需两小时。
重置：同时按住两个按键十秒。
保养：请勿接触水或高温。本产品保修一年。
""",
    ),
    (
        "zh-Hant",
        "reference",
        "房屋租賃契約",
        """房屋租賃契約

立契約書人出租人王大明（以下簡稱甲方）與承租人李小華（以下簡稱乙方），茲就房屋租賃事宜，議定條款如下：
第一條 租賃期間自民國一百一十三年一月一日起至十二月三十一日止。
第二條 租金每月新臺幣二萬元，乙方應於每月五日前繳納。
第三條 乙方不得將房屋轉租他人。
""",
    ),
    (
        "en",
        "",
        "",
        """Minutes of the weekly meeting, 4 May

Present: Ana, Ben, Chloe

1. Office move. Ben reported that the lease is signed. The move is planned for next Friday.
2. Budget. Ana will send the new numbers by Tuesday.
3. Any other business. Chloe is on leave next week.

Next meeting: 11 May, 10am.
""",
    ),
    (
        "en",
        "",
        "",
        """Ana: did you read the new travel policy?
Ben: yes, it says you must book through the portal
Ana: and what about trains?
Ben: same procedure I think
Ana: ok, I'll ask Dana tomorrow
Ben: good idea, let me know
""",
    ),
    (
        "en",
        "",
        "",
        """Acme today announced the launch of its new charging network. The network consists of four hundred stations in six countries and will be open to all drivers. "This is a milestone," said the chief executive. The company must still obtain permits in two regions. Shares rose three percent.
""",
    ),
    (
        "en",
        "",
        "",
        """Feedback on the draft policy

- Section 2 is too long, I would cut it
- In 3.1 you say must but mean should
- Why is there no word on contractors?
- Typos on page 4

Otherwise I like it, nice work! Can we talk on Thursday?
""",
    ),
    (
        "en",
        "",
        "",
        """Sure! Here is a summary of the remote work policy: employees must be reachable between ten and three, must not print confidential documents at home, and are required to have completed probation. The company may amend the policy with one month's notice. Would you like me to explain any of these points in more detail?
""",
    ),
    (
        "en",
        "",
        "",
        """Marie Curie was born in Warsaw in 1867. She studied in Paris, where she met Pierre Curie. In 1903 they shared the Nobel Prize in Physics with Henri Becquerel. After his death she took over his chair and became the first woman to teach at the Sorbonne. In 1911 she received a second Nobel Prize, this time in Chemistry.
""",
    ),
    (
        "ja",
        "",
        "",
        """五月四日 定例会議のメモ

1. 移転について。契約は済んだとのこと。来週の金曜に引っ越す予定。
2. 予算について。安藤さんが火曜までに新しい数字を送る。
3. その他。千葉さんは来週休み。

次回は十一日の十時から。資料は前日までに送ること。遅れる人は連絡すること。
""",
    ),
    (
        "zh-Hans",
        "",
        "",
        """这家餐厅的服务流程真不错，进门先登记，然后由服务员带到座位，点菜必须扫码，不得自带酒水，这个规定有点严格。菜上得很快，味道也可以，就是有点咸。价格中等，两个人花了三百多。停车不太方便，建议坐地铁。总体来说值得一去，下次还会再来，推荐烤鱼和凉皮。
""",
    ),
    (
        "zh-Hans",
        "",
        "",
        """五一出行计划

1. 第一天：上午高铁到杭州，下午逛西湖
2. 第二天：灵隐寺，晚上看演出
3. 第三天：龙井村喝茶，傍晚返程

预算：每人两千
注意：身份证必须带，酒店已订好，不得取消。雨伞也要带上，天气预报说可能下雨，衣服多带一件。
""",
    ),
    (
        "en",
        "",
        "",
        """diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,4 +1,4 @@
-def f(a):
+def f(a, b):
     return a
-x = f(1)
+x = f(1, 2)
 # must not be called twice
 # shall return the sum of both, see section 3.1
 # must be pure
 if x:
     print(x)
""",
    ),
    (
        "en",
        "",
        "",
        """CREATE TABLE policy (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  rule TEXT NOT NULL,
  created TEXT DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX policy_name ON policy (name);
INSERT INTO policy (name, rule) VALUES ('a', 'must');
SELECT * FROM policy WHERE name = 'a';
""",
    ),
)
FRESH: Final[tuple[Row, ...]] = (
    (
        "en",
        "policy",
        "Expense Policy for Volunteers",
        """Expense Policy for Volunteers

Travel to events is reimbursed at second class rates. Meals are covered up to fifteen euros a day. Receipts are handed in within four weeks. Alcohol is not reimbursed. Claims above two hundred euros need the approval of the treasurer before the journey.
""",
    ),
    (
        "en",
        "",
        "",
        """Big news from the allotment! The tomatoes finally turned red, the slugs have found the lettuce, and the neighbour's cat sleeps in the wheelbarrow. Next weekend we are building a fence. The rules say it must not be higher than a metre, which is silly, but fine. Bring gloves if you want to help out.
""",
    ),
    (
        "en",
        "spec",
        "Message queue protocol",
        """# Message queue protocol

## Connecting

A client opens a TCP connection to port 7700 and sends `HELLO` with its version.

## Publishing

A message has a topic of at most 64 bytes and a body of at most 1 MiB. The broker answers `OK` with a sequence number.

## Errors

Unknown commands are answered with `ERR 1`.
""",
    ),
    (
        "en",
        "",
        "",
        """The committee met in the old school on 12 March and talked mainly about the roof. Mr Bell had brought two offers, both higher than last year. After a long discussion it was agreed to ask a third firm. Mrs Dunn thanked the volunteers of the spring fair, which raised six hundred pounds. The meeting closed at half past nine.
""",
    ),
    (
        "en",
        "sop",
        "Closing the month",
        """Closing the month

1. Post all supplier invoices received by the second working day.
2. Reconcile the bank accounts with the statements.
3. Review open items older than sixty days.
4. Run the depreciation.
5. Lock the period and send the report to the controller.
""",
    ),
    (
        "ja",
        "policy",
        "個人情報の取扱いについて",
        """個人情報の取扱いについて

当協会は、会員の氏名、住所及び連絡先を、会報の送付と行事の案内のためにのみ利用します。法令に基づく場合を除き、本人の同意なく第三者に提供することはありません。保有する情報は退会後一年で消去します。開示や訂正の請求は事務局で受け付けます。
""",
    ),
    (
        "ja",
        "",
        "",
        """先月から通い始めたヨガ教室、先生がとても優しくて続けられそう。最初は体が硬すぎて笑われるかと思ったけど、誰も気にしていなかった。帰り道に見つけたパン屋のクリームパンも絶品。毎週の楽しみがひとつ増えた感じがする。来月は友達も連れて行くつもり。持ち物はタオルと水だけでいいらしい。
""",
    ),
    (
        "ja",
        "sop",
        "新入社員受入れの流れ",
        """新入社員受入れの流れ

1. 人事担当は入社日の二週間前までに機器を手配する。
2. 情報担当はアカウントを作成し、初期パスワードを封書で渡す。
3. 所属長は初日に安全教育を行う。
4. 指導係は一か月間、毎週面談を行い、記録を残す。
5. 三か月後に人事担当が評価をまとめる。
""",
    ),
    (
        "zh-Hans",
        "policy",
        "实验室安全守则",
        """实验室安全守则

进入实验室必须穿实验服、戴护目镜。禁止在实验室内饮食。易燃试剂存放于防爆柜，取用后立即归位。废液按类别倒入指定容器，不得倒入水槽。离开前检查水、电、气是否关闭。发生事故时先疏散人员，再报告安全员。
""",
    ),
    (
        "zh-Hans",
        "",
        "",
        """周末去爬了香山，人多得不得了，必须排队才能上缆车。半山腰有个卖烤红薯的大爷，特别热情，还送了一小块给孩子。叶子还没红透，大概再过十天最好看。下山的时候下起小雨，大家都往茶馆里跑，挤得满满当当。虽然累，还是很开心，明年打算再来一次，早点出门就好。
""",
    ),
    (
        "zh-Hant",
        "reference",
        "圖書館開放時間與借閱須知",
        """圖書館開放時間與借閱須知

開放時間：週二至週日上午九時至下午八時，週一休館。
借閱冊數：每人至多十冊。
借閱期限：二十八天，無人預約得續借一次。
逾期：每冊每日罰款二元。
遺失：照原書價格賠償。
""",
    ),
    (
        "zh-Hant",
        "",
        "",
        """最近在追一部新的日劇，講的是一間快倒的旅館，女主角回老家繼承，結果發現帳目一團亂。演員很會演，配樂也好聽，就是中間兩集節奏有點慢。結局聽說跟原著不同，網路上吵翻天。總之推薦給喜歡慢步調的人，配一杯熱茶慢慢看最剛好，看完心裡會暖暖的。
""",
    ),
)
