"""The English texts of the labelled set: document type (empty for what is no document), title, text."""
# ruff: noqa: E501 (the texts stand as they would be pasted)

from typing import Final

from benchmarks._documents_english_more import MORE

ENGLISH: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "charter",
        "Project Charter: Northwind Migration",
        """# Project Charter: Northwind Migration

## Purpose
The project moves the billing platform from the old data centre to the new one without loss of data.

## Scope
In scope: invoices, ledgers, customer records. Out of scope: marketing sites.

## Roles
The sponsor approves the budget. The project manager reports to the steering committee every month.

## Success criteria
- All invoices are reconciled.
- Downtime does not exceed four hours.
""",
    ),
    ("", "", "hey, did you see the game last night? I couldn't believe that last goal lol"),
    (
        "sop",
        "Standard Operating Procedure: Server Restart",
        """Standard Operating Procedure: Server Restart

1. Purpose
This procedure describes how an operator restarts an application server.

2. Responsibilities
The operator on duty performs the restart. The duty manager must be informed before it begins.

3. Procedure
3.1 Drain the node from the load balancer.
3.2 Verify that no request is in flight.
3.3 Restart the service and check the health endpoint.
3.4 Return the node to the load balancer.

4. Records
Each restart shall be recorded in the operations log.
""",
    ),
    (
        "",
        "",
        """I have a couple of questions about the trip before we book:
1. Are we flying into Lisbon or Porto?
2. Do you want to share a room with Sam or should I ask Kate?
3. Can we leave the dog with your sister?
4. What's the budget, roughly?
Let me know when you get a chance, I'd like to book tonight before the prices go up again!""",
    ),
    (
        "policy",
        "Password Policy",
        """Password Policy

All employees must use a password of at least fourteen characters. Passwords must not be shared, written down or reused across systems. Accounts are locked after ten failed attempts. Exceptions require the written approval of the security officer. Violations may lead to disciplinary action.
""",
    ),
    (
        "",
        "",
        """Dear diary,

today was a long one. I got up at six because the cat would not stop crying, and then I missed the bus. At work Mia told me she is leaving in May, which made me sad, because we have shared that office for four years. I came home, made soup, watched two episodes of that detective show and thought about calling my brother. I didn't. Maybe tomorrow.""",
    ),
    (
        "spec",
        "Specification: Event Export Format",
        """## Specification: Event Export Format

Version 1.2

### 1 Encoding
An export file is UTF-8 text. Each line holds exactly one JSON object.

### 2 Fields
- `id` (string, required): the identifier of the event. It MUST be unique within a file.
- `at` (string, required): the instant, in RFC 3339 form. It MUST carry an offset.
- `kind` (string, required): one of `created`, `changed`, `removed`.
- `body` (object, optional): what the event says.

### 3 Errors
A reader MUST ignore unknown fields. A reader SHOULD report a line that is not valid JSON and continue.
""",
    ),
    (
        "",
        "",
        """So the thing is, I'm really fed up with how the landlord handles repairs. I called on Monday about the boiler, and nobody picked up. I called again yesterday and got put on hold for forty minutes, and when someone finally answered they told me the policy is that you must submit a ticket online first. But the site was down! I mean, come on. I told her I have a two year old at home and no heating and she just said there's a procedure. What procedure? I've been paying rent here for six years, never late once, and this is how they treat me. My neighbour had the same with her windows and she ended up paying for it herself. Honestly I'm thinking about just moving out. Anyway, sorry for the rant, how are you doing?""",
    ),
    (
        "reference",
        "Widgets API Reference",
        """# Widgets API Reference

## GET /widgets
Returns a list of widgets.

| Parameter | Type | Default | Description |
|---|---|---|---|
| limit | integer | 20 | The most widgets to return |
| cursor | string | | Where to continue |

## POST /widgets
Creates a widget. The body is a JSON object with `name` and `size`.

## DELETE /widgets/{id}
Removes the widget. Returns 204, or 404 when there is no such widget.
""",
    ),
    (
        "",
        "",
        """Hi Laura,

I hope you are well. I wanted to follow up on the proposal I sent you last week. As I mentioned on the phone, we could start in June if you can confirm the budget by Friday. I attached the updated offer and the list of the people on my side. Please let me know if you have any questions, I am in the office tomorrow until 5pm.

Best regards,
Thomas""",
    ),
    (
        "reference",
        "Service Agreement",
        """SERVICE AGREEMENT

This agreement is made between Alder Consulting Ltd. ("the Provider") and Birch Foods Inc. ("the Client").

Article 1 Services
The Provider shall perform the services described in Annex A with due care.

Article 2 Fees
The Client shall pay the fees within thirty days of the invoice. Late payments bear interest of five percent a year.

Article 3 Confidentiality
Neither party shall disclose confidential information to a third party without prior written consent.

Article 4 Termination
Either party may terminate this agreement with ninety days' written notice.

Article 5 Governing law
This agreement is governed by the law of Ireland.
""",
    ),
    (
        "",
        "",
        """To do this week:
- [ ] call the dentist on Tuesday
- [ ] finish my slides for Thursday's meeting
- [ ] buy a present for mum, her birthday is on Saturday!!
- [ ] return the library books
- [ ] ask Jon whether the bike is fixed
- [x] pay rent
- [ ] tidy the garage if it doesn't rain tomorrow""",
    ),
    (
        "sop",
        "Incident Response Runbook",
        """# Incident Response Runbook

**Step 1: Declare.** The first responder opens an incident channel and names a commander.

**Step 2: Stabilise.** Stop the damage before looking for the cause. Roll back the latest release when in doubt.

**Step 3: Communicate.** The commander posts an update every thirty minutes until the incident is closed.

**Step 4: Close.** When the service has been healthy for one hour, the commander closes the incident and schedules the review.
""",
    ),
    (
        "",
        "",
        """Traceback (most recent call last):
  File "app/main.py", line 88, in <module>
    run(settings)
  File "app/main.py", line 41, in run
    connection = open_pool(settings.url, timeout=5)
  File "app/pool.py", line 19, in open_pool
    raise ConnectionError(f"cannot reach {url}")
ConnectionError: cannot reach db.internal:5432
2026-03-02 10:11:09 ERROR worker[3] job 4411 failed: cannot reach db.internal:5432
2026-03-02 10:11:10 INFO worker[3] retrying in 8 s
2026-03-02 10:11:18 ERROR worker[3] job 4411 failed: cannot reach db.internal:5432
2026-03-02 10:11:18 INFO worker[3] giving up""",
    ),
    (
        "policy",
        "Remote Work Policy",
        """# Remote Work Policy

1. Eligibility. Every employee who has completed the probation period may work remotely for up to three days a week.

2. Working hours. Employees must be reachable between 10:00 and 15:00 in the time zone of their team.

3. Equipment. The company provides a laptop and a monitor. Employees are responsible for a suitable workplace and a stable connection.

4. Security. Confidential documents must not be printed at home. Company devices must not be used by family members.

5. Changes. The company may amend this policy with one month's notice.
""",
    ),
    (
        "",
        "",
        """Status for today, March 4th:
- Yesterday I finished the export and opened a pull request, Ana is reviewing it.
- Today I'm on the login bug. I think it's the cookie again.
- Blocked: still waiting for the staging password since Monday.
- Tomorrow I'm out in the afternoon, back on Friday.
Deploy is planned for tonight at 8pm if nothing breaks.""",
    ),
    (
        "charter",
        "Charter of the Data Ethics Board",
        """Charter of the Data Ethics Board

Section 1. Mission
The Board advises the company on the responsible use of personal data.

Section 2. Membership
The Board consists of seven members. Members are appointed by the chief executive for a term of two years and may be reappointed once.

Section 3. Meetings
The Board meets at least four times a year. A quorum is five members. Decisions are taken by simple majority.

Section 4. Amendments
This charter may be amended by a vote of two thirds of the members.
""",
    ),
    (
        "",
        "",
        """# My weekend in Porto

## Saturday
I arrived late because my train was delayed. We walked along the river and I ate the best custard tart of my life.

## Sunday
I slept until eleven! Then we took the tram to the sea. I lost my hat there, the blue one you gave me.

## What I'd do again
Honestly everything. I miss it already. Shall we go together next time?""",
    ),
    (
        "reference",
        "",
        """The warehouse is divided into four zones. Zone A holds goods received and not yet inspected. Zone B holds inspected goods. Zone C holds goods that are reserved for an order. Zone D is for returns. Goods shall move between zones only with a transfer slip. Every slip bears the item number, the quantity, the zone of origin, the destination and the initials of the clerk. A clerk must not sign a slip on behalf of another. Counts are taken in each zone at the end of every quarter and compared with the ledger. Differences above one percent are reported to the warehouse manager in writing.
""",
    ),
    (
        "",
        "",
        """My grandmother's dumplings, the way I remember them: first I take about 300 grams of flour and I never measure the water, I just feel it. I let the dough rest while I chop the cabbage. I always put in too much ginger, my husband complains but he eats them anyway. Then I fold them, badly, and fry them in the old black pan until I can hear them sing. Yesterday I made sixty and we finished them all!""",
    ),
    (
        "reference",
        "Release Checklist",
        """Release Checklist

Before the release
[ ] The version number is raised.
[ ] The changelog names every change that a user notices.
[ ] All tests pass on every supported platform.
[ ] The upgrade from the previous version has been tested.

Release
[ ] The tag is signed.
[ ] The package is built from the tag.
[ ] The checksums are published.

After the release
[ ] The documentation shows the new version.
[ ] The milestone is closed.
""",
    ),
    (
        "",
        "",
        """Ok so here's what I think we should do:
1) you talk to Ben, because he listens to you
2) I'll write up the numbers tonight
3) we meet for coffee tomorrow at 9 and decide
Sounds good? I really don't want to go into that meeting without a plan again, last time was awful and I felt stupid the whole time. Also can you bring the charger I left at your place?""",
    ),
    (
        "spec",
        "Functional Requirements",
        """Functional Requirements

FR-1 The system shall allow a user to register with an e-mail address.
FR-2 The system shall send a confirmation message within one minute.
FR-3 The system shall reject an address that is already registered.
FR-4 The system shall lock an account after five failed attempts.
FR-5 An administrator shall be able to unlock an account.

Non-functional Requirements

NFR-1 The response time shall not exceed 200 ms at the 95th percentile.
NFR-2 The system shall be available 99.9 percent of each month.
""",
    ),
    (
        "",
        "",
        """LONDON, 3 June. The central bank left its main interest rate unchanged on Thursday, as expected by most analysts, and said that inflation had slowed in April for the third month in a row. The governor told reporters yesterday that it was too early to speak of a turn. Shares in London rose by 0.4 percent in the morning, while the pound lost some ground against the dollar. The next decision is due on 11 July.""",
    ),
    *MORE,
)
