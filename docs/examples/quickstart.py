from karte import Karte
with Karte("memory.db", agent="dudu") as memory:
    memory.store_temporal("Deploys go to Vercel", subject="user", predicate="deploy_target", object="Vercel", valid_from="2026-01-01")
    memory.store_temporal("Deploys go to Cloudflare Workers", subject="user", predicate="deploy_target", object="Cloudflare Workers", valid_from="2026-03-03")
    memory.get_at("user", "deploy_target", "2026-02-01").object      # 'Vercel'
    memory.search("where do we deploy?")[0].object                   # 'Cloudflare Workers'
