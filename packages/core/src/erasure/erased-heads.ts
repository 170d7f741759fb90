import type { Clock } from '../clock.ts'
import { encodeErasedHead } from '../chat/thread-head.ts'
import { HEAD_KEY, RUNS_HEAD_KEY } from '../chat/thread-keys.ts'
import type { Key } from '../rows/keys.ts'
import { encodeTuple } from '../rows/keys.ts'
import type { CallOptions, Row, RowStore, RowWrite } from '../rows/row-store.ts'
import { encodeEnvelope, decodeEnvelope } from '../values/envelope.ts'
import { segmentsOf } from './row-kind.ts'

/** The engine's, of entities that are no threads. */
const ENGINE_HEAD_KEY = encodeTuple(['h'])

/** The keys of the rows that decide whether anything of this entity counts. */
export function headKeysOf(entity: string): string[] {
  const [kind] = segmentsOf(entity)
  if (kind === 'thread') return [HEAD_KEY, RUNS_HEAD_KEY]
  return kind === 'entity' ? [ENGINE_HEAD_KEY] : []
}

/**
 * Moves the heads of an entity to `erased`, over whatever they are: from there nothing is appended, claimed, decided or
 * committed. Returns the keys of those that were there before and said something else.
 */
export async function eraseHeads(
  store: RowStore,
  entity: string,
  subject: Key,
  clock: Clock,
  options: CallOptions,
): Promise<string[]> {
  const before = new Set<string>()
  let keys = headKeysOf(entity)
  while (keys.length > 0) {
    const stored = await store.load(
      keys.map((key) => ({ entity, key })),
      options,
    )
    const open = keys.flatMap((key, index) => (isErased(stored[index]) ? [] : [{ key, row: stored[index] }]))
    for (const { key, row } of open) if (row !== undefined) before.add(key)
    if (open.length === 0) break
    const results = await store.write(
      open.map(({ key, row }) => erasedHead(entity, key, row, subject, clock)),
      options,
    )
    keys = open.filter((_, index) => results[index]!.status === 'stale').map(({ key }) => key)
  }
  return [...before]
}

function isErased(row: Row | undefined): boolean {
  if (row === undefined || row.rec.length === 0) return false
  const { value } = decodeEnvelope(row.rec)
  return typeof value === 'object' && value !== null && 'erased' in value && value['erased'] === true
}

function erasedHead(entity: string, key: string, over: Row | undefined, subject: Key, clock: Clock): RowWrite {
  const nowMs = clock.nowMs()
  const seq = clock.nextSeq(over?.seq)
  const rec =
    key === HEAD_KEY
      ? encodeErasedHead(nowMs, subject)
      : encodeEnvelope({
          value: { lastS: seq, cleanS: seq, erased: true },
          createdAtMs: nowMs,
          writeIds: [clock.newId()],
        })
  return { entity, key, seq, rec, updatedAtMs: nowMs, guard: over === undefined ? 'absent' : { seq: over.seq } }
}
