"""Documents that tests file."""

from __future__ import annotations

DEPLOYING = """# Deployment procedure

## Purpose

This procedure says how the shop is deployed.

## Steps

1. The release manager shall build the image from the main branch.
2. The image must pass the smoke tests on staging.
3. Only then the image is rolled out to production, region by region.

## Rollback

If the error rate exceeds one percent, the former image must be rolled out again within ten minutes.
"""

DEPLOYING_LATER = DEPLOYING.replace("ten minutes", "five minutes")

HOLIDAYS = """# Deployment procedure

## Scope

This procedure applies to public holidays and to nothing else.

1. Nobody deploys between 24 December and 2 January.
2. The duty officer must keep the pager switched on.
3. Exceptions shall be approved in writing by the head of operations.
4. Every exception has to be recorded in the ledger of the department before noon.
"""

RULES_JA = """# 情報管理規程

第1条(目的) この規程は、会社の情報を適切に管理することを目的とする。
第2条(適用範囲) この規程は、すべての従業員に適用する。
第3条(責任者) 情報管理責任者は、情報の分類を定めなければならない。
第4条(持ち出し) 従業員は、承認なく機密情報を社外に持ち出してはならない。
"""
