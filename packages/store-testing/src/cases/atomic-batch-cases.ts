import type { RowWrite } from '@keepsake/core'
import { casesOf, type CaseContext, type RowStoreCase } from '../row-store-case.ts'
import { expectEqual, expectResults } from '../expect.ts'
import { together } from '../together.ts'
import { numberedKeys, put } from './rows.ts'

const KEYS = numberedKeys(10)

export const atomicBatchCases: RowStoreCase[] = casesOf(
  'atomic batches',
  [
    [
      'who reads one row of a batch finds the others too, whichever is read first',
      async (c) => {
        await c.store.write(batch(c, 0))
        let writing = true
        const write = async (): Promise<void> => {
          for (let seq = 1; seq <= 30; seq++) await c.store.write(batch(c, seq))
        }
        const read = (order: [number, number]): Promise<void> => readInTurn(c, order, () => writing)
        await together([write().finally(() => (writing = false)), read([0, 9]), read([9, 0])])
      },
    ],
    [
      'a batch that is aborted under way is whole or not there',
      async (c) => {
        for (let seq = 1; seq <= 10; seq++) {
          const controller = new AbortController()
          const writing = c.store.write(batch(c, seq), { signal: controller.signal })
          controller.abort()
          await writing.catch(() => undefined)
          expectEqual(new Set(await storedSeqs(c)).size, 1, 'different seqs in the batch')
        }
      },
    ],
    [
      'concurrent batches leave every row of the highest',
      async (c) => {
        await together(Array.from({ length: 16 }, (_, i) => c.store.write(batch(c, i + 1))))
        expectEqual(
          await storedSeqs(c),
          KEYS.map(() => 16),
          'seqs',
        )
      },
    ],
    [
      'a stale row takes no other row of its batch with it',
      async (c) => {
        await c.store.write([put(c.entity(), KEYS[4]!, 9, 'newer')])
        const expected = KEYS.map((_, i) => (i === 4 ? 9 : ('applied' as const)))
        expectResults(await c.store.write(batch(c, 5)), expected)
        expectEqual(
          await storedSeqs(c),
          KEYS.map((_, i) => (i === 4 ? 9 : 5)),
          'seqs',
        )
      },
    ],
  ],
  'atomicBatch',
)

function batch({ entity }: CaseContext, seq: number): RowWrite[] {
  return KEYS.map((key) => put(entity(), key, seq, `seq ${seq}`))
}

async function storedSeqs({ store, entity }: CaseContext): Promise<(number | undefined)[]> {
  return (await store.load(KEYS.map((key) => ({ entity: entity(), key })))).map((row) => row?.seq)
}

/** Reads two rows one after the other: what the first has, the second must have by then. */
async function readInTurn({ store, entity }: CaseContext, order: [number, number], more: () => boolean): Promise<void> {
  const [first, second] = order.map((i) => ({ entity: entity(), key: KEYS[i]! }))
  do {
    const [a] = await store.load([first!])
    const [b] = await store.load([second!])
    expectEqual(b!.seq >= a!.seq, true, `after seq ${a!.seq} in one row, the other has at least that`)
  } while (more())
}
