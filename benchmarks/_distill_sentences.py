"""Sentences with the facts that they tell, written before any rule was; about half tell nothing.

A line is what somebody says on Wednesday 2026-03-11, then ``=>`` and its facts: ``predicate=object``, with ``@2019``
where the text says since when and ``..2021`` where it says until when; a deadline names what is due before a dot.
``[name]`` before a line is its speaker, ``[?]`` says that nobody knows when it was said, and ``/`` stands for a new
line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

SAID_AT: Final = datetime(2026, 3, 11, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A fact that a sentence tells; ``due`` is the thing that has the deadline."""

    predicate: str
    object: str
    valid_from: str | None = None
    valid_until: str | None = None
    due: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A sentence and all the facts in it."""

    language: str
    text: str
    speaker: str | None
    time: datetime | None
    facts: tuple[Label, ...]


_ENGLISH: Final = """
My name is Ken. => name=Ken
Hi, my name is Maria Lopez and I live in Lisbon. => name=Maria Lopez; lives_in=Lisbon
I work at Acme. => works_at=Acme
I work at Acme and live in Kyoto. => works_at=Acme; lives_in=Kyoto
I live in Kyoto and work at Acme. => lives_in=Kyoto; works_at=Acme
I joined Acme in March. => works_at=Acme@2026-03
I joined Globex on 2 February 2026 as an engineer. => works_at=Globex@2026-02-02
I've worked at Initech since 2019. => works_at=Initech@2019
I have been working for Umbrella Corporation since last year. => works_at=Umbrella Corporation@2025
I work as a nurse. => job=nurse
I work as a data analyst at Stark Industries. => job=data analyst; works_at=Stark Industries
I live in New York City. => lives_in=New York City
I live in the Netherlands, near the sea. => lives_in=Netherlands
I moved to Osaka last month. => lives_in=Osaka@2026-02
We moved to Berlin in 2021 because of the job. => lives_in=Berlin@2021
I've lived in St. Louis since 2015. => lives_in=St. Louis@2015
I lived in Madrid until 2021. => lives_in=Madrid..2021
I love hiking. => likes=hiking
I really like spicy food! => likes=spicy food
I like Python more than Java. => likes=Python
I love to cook. => likes=cook
I hate cilantro, it tastes like soap. => dislikes=cilantro
I don't like long meetings. => dislikes=long meetings
I do not like horror movies because they scare me. => dislikes=horror movies
I can't stand loud music. => dislikes=loud music
I prefer tea to coffee. => prefers=tea
I prefer dark mode. => prefers=dark mode
Honestly, I prefer short answers over long ones. => prefers=short answers
My favourite colour is blue. => favourite_colour=blue
My favorite color is dark green. => favourite_colour=dark green
My favorite book is "Charlotte's Web". => favourite_book=Charlotte's Web
My all-time favorite movie is Inception. => favourite_movie=Inception
We use PostgreSQL for the billing service. => uses=PostgreSQL
We use Redis and PostgreSQL for caching. => uses=Redis; uses=PostgreSQL
At work, we use Jira. => uses=Jira
I use VS Code on my laptop. => uses=VS Code
I've been using Obsidian since January. => uses=Obsidian@2026-01
We decided to ship on Friday. => decided=ship on Friday
We decided to move to Postgres because MySQL was slow. => decided=move to Postgres
We've decided on Terraform. => decided=Terraform
Yesterday we decided to drop Python 3.9. => decided=drop Python 3.9@2026-03-10
I decided not to renew the contract. => decided=not to renew the contract
We agreed to meet every Tuesday. => decided=meet every Tuesday
The report is due on Friday. => report.deadline=2026-03-13
The tax return is due by April 15. => tax return.deadline=2026-04-15
The deadline for the proposal is March 20th. => proposal.deadline=2026-03-20
The grant application deadline is 2026-05-01. => grant application.deadline=2026-05-01
The draft has to be finished by the end of May. => draft.deadline=2026-05-31
The slides are due tomorrow. => slides.deadline=2026-03-12
[Caroline] I live in Boston. => lives_in=Boston
[user] I work at Hooli. => works_at=Hooli
[?] I moved to Osaka last month. => lives_in=Osaka
Sorry for the late reply. I work at Wayne Enterprises, so I am busy. => works_at=Wayne Enterprises
I enjoy gardening on weekends. => likes=gardening
I adore old jazz records. => likes=old jazz records
I'm based in Toronto. => lives_in=Toronto
I'm tired.
I'm Batman.
Do I work at Acme?
Where do you think I live?
If I lived in Paris, I would eat bread every day.
If I work at Acme, I need a badge.
I would love a coffee.
I'd like to live in Rome.
I might move to Oslo next year.
Maybe I like jazz.
I wish I lived in Hawaii.
I want to work at Google.
I hope I work at NASA one day.
She said I work at Acme.
He told me: "Hello. I live in Dublin. I like cats."
"I work at Acme," she answered.
My brother works at Acme.
My sister lives in Rome and loves opera.
They use Kubernetes.
She loves hiking.
You live in Kyoto.
I used to live in London.
I worked at Acme for two years.
I don't work at Acme anymore.
I no longer live in Kyoto.
I never lived in Spain.
I live in hope.
I live in the moment.
I live in fear.
I live in a small town by the river.
I love it!
I love that.
I like them.
I like your idea.
I love you.
I love how it turned out.
I love when that happens.
I like where this is going.
I work at night.
I work from home.
I work hard.
I work on it.
We use it for everything.
We use this a lot.
I joined a gym last week.
I joined the call late.
Use PostgreSQL for the billing service.
Please remember to call me.
Tell them my name is secret.
We haven't decided on a date.
We could use some help.
We have not decided to ship.
The report was due last week.
Is the report due on Friday?
The report is due to bad weather.
The report is due on February 30.
The report is due soon.
I moved to the next task.
I moved to strike the motion.
My name is on the list.
My name is hard to spell.
My favorite part was the end.
My favourite is that one.
[assistant] I live in the cloud and I work at Acme.
[system] My name is Helper. I like short answers.
[tool] I use PostgreSQL.
> I live in Kyoto.
```/I work at Acme./```
| name | I live in Kyoto. |
I like to think that things will get better.
I love what you did there.
I like my coffee.
I hate to say it.
I prefer not to say.
Imagine I live in Tokyo.
Let's say I work at Acme.
I don't know if I like jazz.
I don't hate jazz.
I am moving to Osaka.
I almost joined Acme.
I'm glad I live in Canada?
I like.
I live in .
Thanks, I appreciate it!
"""

_JAPANESE: Final = """
私の名前は健です。 => name=健
はじめまして、田中太郎と申します。 => name=田中太郎
株式会社ミライで働いています。 => works_at=株式会社ミライ
私はトヨタに勤めています。 => works_at=トヨタ
2019年からABC銀行で働いています。 => works_at=ABC銀行@2019
3月からソニーに勤務しています。 => works_at=ソニー@2026-03
看護師として働いています。 => job=看護師
京都に住んでいます。 => lives_in=京都
私は去年から福岡に住んでいます。 => lives_in=福岡@2025
先月大阪に引っ越しました。 => lives_in=大阪@2026-02
2024年4月に札幌に引っ越しました。 => lives_in=札幌@2024-04
寿司が好きです。 => likes=寿司
僕はジャズが大好きです。 => likes=ジャズ
私はパクチーが嫌いです。 => dislikes=パクチー
長い会議は好きではありません。 => dislikes=長い会議
辛い食べ物が好きじゃないです。 => dislikes=辛い食べ物
コーヒーより紅茶が好きです。 => prefers=紅茶
犬より猫のほうが好きです。 => prefers=猫
好きな色は青です。 => favourite_colour=青
私の一番好きな映画は「七人の侍」です。 => favourite_movie=七人の侍
PostgreSQLを使っています。 => uses=PostgreSQL
データベースにはPostgreSQLを使っています。 => uses=PostgreSQL
私たちはSlackを使っています。 => uses=Slack
PostgreSQLに決めました。 => decided=PostgreSQL
金曜日にリリースすることに決めました。 => decided=金曜日にリリースする
私たちはTerraformを採用することにしました。 => decided=Terraformを採用する
報告書の締め切りは金曜日です。 => 報告書.deadline=2026-03-13
提案書の締切は3月20日です。 => 提案書.deadline=2026-03-20
レポートの期限は来週の金曜日です。 => レポート.deadline=2026-03-20
申請書の提出期限は2026年5月1日です。 => 申請書.deadline=2026-05-01
京都に住んでいて、寿司が好きです。 => lives_in=京都; likes=寿司
山登りが好きなので、週末はよく出かけます。 => likes=山登り
疲れました。
私は医者ですか？
京都に住んでいますか？
寿司が好きですか
もし東京に住んでいたら、毎日寿司を食べます。
東京に住みたいです。
寿司が好きかもしれません。
母は京都に住んでいます。
妹が寿司が好きです。
彼はトヨタに勤めています。
田中さんは東京に住んでいます。
彼女は「京都に住んでいます」と言いました。
友達が株式会社ミライで働いていると言っていました。
以前は京都に住んでいました。
昔は寿司が好きでした。
もうトヨタに勤めていません。
それが好きです。
これを使っています。
あなたが好きです。
ここに住んでいます。
家で働いています。
東京で働いています。
夜に働いています。
PostgreSQLを使ってください。
まだ決めていません。
締め切りはいつですか？
締め切りは2月30日です。
報告書の締め切りは未定です。
京都に住んでいると思います。
猫が好きだったらいいのに。
[assistant] 京都に住んでいます。
> 寿司が好きです。
名前を教えてください。
みんな寿司が好きです。
時間を使っています。
大阪に引っ越すつもりです。
トヨタで働くことになるかもしれない。
"""

_CHINESE: Final = """
我叫小明。 => name=小明
你好，我的名字是王芳。 => name=王芳
我在腾讯工作。 => works_at=腾讯
我在阿里巴巴上班。 => works_at=阿里巴巴
我从2019年开始在华为工作。 => works_at=华为@2019
从三月起我在字节跳动工作。 => works_at=字节跳动@2026-03
我去年加入了百度。 => works_at=百度@2025
我住在上海。 => lives_in=上海
我住在上海，在腾讯工作。 => lives_in=上海; works_at=腾讯
我上个月搬到了深圳。 => lives_in=深圳@2026-02
2021年我搬到北京。 => lives_in=北京@2021
我現在住在台北。 => lives_in=台北
我喜欢爬山。 => likes=爬山
我很喜欢辣的食物。 => likes=辣的食物
我喜歡爵士樂。 => likes=爵士樂
我讨厌香菜。 => dislikes=香菜
我不喜欢开会。 => dislikes=开会
我更喜欢茶。 => prefers=茶
比起咖啡，我更喜欢茶。 => prefers=茶
我最喜欢的颜色是蓝色。 => favourite_colour=蓝色
我最喜歡的電影是《臥虎藏龍》。 => favourite_movie=臥虎藏龍
我们用PostgreSQL存储数据。 => uses=PostgreSQL
我们使用飞书开会。 => uses=飞书
我在用Obsidian记笔记。 => uses=Obsidian
我们决定采用Terraform。 => decided=采用Terraform
我們決定週五發布。 => decided=週五發布
昨天我们决定不再支持旧版本。 => decided=不再支持旧版本@2026-03-10
报告的截止日期是周五。 => 报告.deadline=2026-03-13
提案的截止日期是3月20日。 => 提案.deadline=2026-03-20
報告的截止日期是下週五。 => 報告.deadline=2026-03-20
申请表的截止时间是2026年5月1日。 => 申请表.deadline=2026-05-01
我是一名护士，我住在广州。 => lives_in=广州
我累了。
我住在上海吗？
你住在上海。
我叫什么名字？
如果我住在巴黎，我会每天吃面包。
我想住在东京。
也许我喜欢爵士乐。
我可能会搬到北京。
我希望在谷歌工作。
她说我在腾讯工作。
他说：“我住在上海。”
妈妈喜欢爬山。
我妈妈住在上海。
我哥哥在腾讯工作。
我的朋友喜欢咖啡。
我以前住在伦敦。
我曾经在腾讯工作。
我不在腾讯工作了。
我已经不住在上海了。
我喜欢它。
我喜欢这个。
我喜欢你。
我爱你。
我住在这里。
我在家工作。
我在上海工作。
我在晚上工作。
我在努力工作。
我们用它做一切。
请用PostgreSQL。
我们还没决定用什么。
我们没有决定发布。
截止日期是什么时候？
报告的截止日期是2月30日。
报告的截止日期还没定。
[assistant] 我住在上海。
> 我喜欢爬山。
我叫他过来。
我叫了外卖。
我用心工作。
我喜欢你的想法。
大家都喜欢咖啡。
我差点加入百度。
"""

_LINE: Final = re.compile(r"(?:\[(?P<speaker>[^\]]+)\] )?(?P<text>.*?)(?: => (?P<facts>.+))?")
_FACT: Final = re.compile(
    r"(?:(?P<due>[^=.]+)\.)?(?P<name>[a-z_]+)=(?P<object>.+?)(?:@(?P<since>[\d-]+))?(?:\.\.(?P<until>[\d-]+))?"
)


def sentences() -> list[Labelled]:
    """All sentences, by language."""
    sets = {"english": _ENGLISH, "japanese": _JAPANESE, "chinese": _CHINESE}
    return [_labelled(language, line) for language, lines in sets.items() for line in lines.strip().splitlines()]


def _labelled(language: str, line: str) -> Labelled:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(line)
    speaker = match["speaker"]
    return Labelled(
        language=language,
        text=match["text"].replace("/", "\n"),
        speaker=None if speaker == "?" else speaker,
        time=None if speaker == "?" else SAID_AT,
        facts=tuple(_label(fact) for fact in (match["facts"] or "").split("; ") if fact),
    )


def _label(text: str) -> Label:
    match = _FACT.fullmatch(text)
    if match is None:
        raise ValueError(text)
    return Label(
        predicate=match["name"],
        object=match["object"],
        valid_from=match["since"],
        valid_until=match["until"],
        due=match["due"],
    )
