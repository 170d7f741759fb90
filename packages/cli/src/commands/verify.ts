import type { Context } from '../context.ts'
import { describeStore } from '../describe-store.ts'

/** Says whether the store is ready for use. */
export async function run(context: Context): Promise<void> {
  const { out, storeUri, signal } = context
  await using store = await context.openStore()
  await store.verify({ signal })
  if (out.json) await out.record({ store: describeStore(storeUri), ok: true })
  else await out.line(`${describeStore(storeUri)} is ready for use.`)
}
