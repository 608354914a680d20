"""The English texts of the labelled set, continued: document type (empty for what is no document), title, text."""
# ruff: noqa: E501 (the texts stand as they would be pasted)

from typing import Final

MORE: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "policy",
        "Data Retention Policy",
        """Data Retention Policy

Purpose: to define how long records are kept and how they are destroyed.
Applies to: all departments and contractors.

Financial records are retained for ten years. Personnel files are retained for six years after the end of employment. Access logs are retained for ninety days. Records under legal hold must not be destroyed until the hold is lifted in writing by the legal department. Paper records are shredded; electronic records are erased so that they cannot be recovered.

Owner: Records Office. Review: every year.
""",
    ),
    (
        "",
        "",
        """def retention(days):
    # the policy says 90 days for access logs
    cutoff = now() - timedelta(days=days)
    for path in sorted(LOGS.glob("*.log")):
        if path.stat().st_mtime < cutoff.timestamp():
            path.unlink()
            print(f"removed {path}")

if __name__ == "__main__":
    retention(90)

why does this crash with a TypeError when I run it? I tried passing a float but I get the same thing""",
    ),
    (
        "sop",
        "Onboarding a new supplier",
        """Onboarding a new supplier

Step 1: The buyer completes the supplier form and attaches the tax certificate.
Step 2: Finance verifies the bank details by telephone, using a number that does not come from the supplier's letter.
Step 3: Legal reviews the contract. No order may be placed before the review is complete.
Step 4: The supplier is created in the system by a person other than the buyer.
Step 5: The buyer confirms the record and informs the supplier.
""",
    ),
    (
        "",
        "",
        """The old lighthouse keeper had not spoken to anyone for a month when the boat came. It was a small boat, green once, and the girl in it was soaked to the skin. "You must be the uncle," she said, and climbed the rocks as if she had done so every day of her life. He put the kettle on. Outside the wind turned, and somewhere below them a door that he was sure he had locked began to bang. "Is there someone else here?" she asked.""",
    ),
    (
        "spec",
        "Interface Specification: Sensor Bus",
        """title: Interface Specification: Sensor Bus

1. General
1.1 The bus connects one controller and up to 32 sensors.
1.2 The bit rate is 250 kbit/s.

2. Frame
2.1 A frame consists of a start byte (0x7E), an address, a length, up to 64 bytes of payload and a checksum.
2.2 The checksum is the sum of all bytes after the start byte, modulo 256.

3. Timing
3.1 A sensor shall answer within 5 ms.
3.2 The controller shall wait at least 1 ms between frames.
""",
    ),
    (
        "",
        "",
        """Thanks everyone for joining, nice to see you all after the break. How was your holiday, Priya? Oh lovely, I was in Spain as well, terrible weather though, haha. Okay, should we start? I think Mark is still on another call, he said he'd be five minutes late. In the meantime, does anyone have something that's not on the agenda? No? Okay. Let me share my screen, one second. Can you see it? Great. So, last week we talked about the office plants...""",
    ),
    (
        "reference",
        "Glossary of shipping terms",
        """Glossary of shipping terms

Bill of lading: the document that a carrier issues to acknowledge receipt of cargo.
Consignee: the person to whom the goods are to be delivered.
Demurrage: the charge payable when a container stays at the terminal beyond the free time.
Free on board: the seller bears all costs until the goods are on board the vessel.
Manifest: the list of all cargo carried on a voyage.
Tare weight: the weight of an empty container.
""",
    ),
    (
        "",
        "",
        """I looked into the policy question you asked about. As far as I can tell the travel policy says you must book through the portal, but nobody in my team does that, and I've never had a claim refused. If I were you I'd just book the train, keep the receipt, and mention it to Dana when you see her on Monday. Is that okay for you? By the way, did they ever answer you about the hotel in Graz? I stayed there twice and it was fine.""",
    ),
    (
        "policy",
        "Code of Conduct",
        """## Code of Conduct

Participants treat each other with respect. Harassment, insults and discrimination are prohibited, in public and in private channels.

Organisers are entitled to remove any contribution that violates this code and to exclude its author temporarily or permanently.

Reports are sent to conduct@example.org and are treated as confidential. A report is answered within five working days. Nobody shall suffer a disadvantage for having made a report in good faith.
""",
    ),
    (
        "",
        "",
        """Which laptop should I get? I narrowed it down:

## Option A
Light, 14 inch, great keyboard, but only 16 GB and I can't upgrade it later.

## Option B
Heavier, but I'd get 32 GB and it's 200 euros cheaper. My brother has it and says the fan is loud.

## Option C
Wait until November? I don't know if my old one survives that long.

What would you do? I mostly write and edit photos.""",
    ),
    (
        "charter",
        "Team Charter",
        """# Team Charter

**Mission**: Keep every customer's data safe and available.

**Members**: platform engineers, one database administrator, one product owner.

**Principles**
- Decisions are written down.
- Every change is reviewed by a second person.
- Production access is granted for a task and withdrawn afterwards.

**Cadence**: planning every second Monday, review every second Friday.

**Escalation**: the head of platform decides where the team cannot agree.
""",
    ),
    ("", "", "Can you remind me what the charter said about the quorum? I think it was five but I'm not sure anymore."),
)
