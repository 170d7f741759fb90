import {
  chatMemory,
  encodeTuple,
  eraseSubject,
  KeepsakeError,
  ownerEntity,
  records,
  sourceText,
  threadEntity,
  type EraseOptions,
  type ErasureReport,
  type Row,
} from '@keepsake/core'
import { expectEqual, expectError, expectRows } from '../expect.ts'
import { faultyStore } from '../faulty-store.ts'
import { together } from '../together.ts'
import { said, say } from './chats.ts'
import { modelCasesOf, type MemoryModelCase, type ModelContext } from './model-case.ts'

/** Nobody else writes. */
const NOW: EraseOptions = { graceMs: 0 }
const THREADS = 3
const RECORDS = 120

/** Threads and records of a person, each of which says their name. */
async function live({ store, name }: ModelContext, who: string): Promise<void> {
  const owner = name(who)
  for (let i = 0; i < THREADS; i++) {
    const options = { owner, opId: 'hello' }
    await chatMemory(store).append(name(`${who}-t${i}`), [say(`I am ${owner}`), say('hi')], options)
  }
  await records(store, owner).putMany(
    Array.from({ length: RECORDS }, (_, i) => ({ key: ['likes', String(i)], value: `${owner} likes ${i}` })),
  )
}

/** What `live` stores, by kind, in order. */
const ALL = {
  claims: THREADS,
  directory: THREADS + 1,
  heads: THREADS,
  messages: THREADS,
  records: RECORDS,
  thread_list: THREADS,
}

const countsOf = ({ counts }: ErasureReport): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const textOf = ({ entity, key, rec }: Row): string => entity + key + Buffer.from(rec).toString('latin1')

/** Throws where a row of this case says the name of the person, and where anything else in the database does. */
async function expectNoTrace(context: ModelContext): Promise<void> {
  const zoe = context.name('zoe')
  const found = (await context.rows()).filter((row) => textOf(row).includes(zoe))
  expectEqual(
    found.map(({ entity, key }) => entity + key),
    [],
    'rows of the person that are left',
  )
  if (context.everything === undefined) return
  const all = await context.everything()
  const at = all.indexOf(zoe)
  expectEqual(at < 0 ? '' : all.slice(Math.max(0, at - 60), at + 60), '', 'what the database itself still says')
}

const ofOthers = (rows: readonly Row[], { name }: ModelContext): Row[] =>
  rows.filter(({ entity }) => entity.includes(name('bob')))

/** Ends as `work` does, or with its refusal. */
async function orRefused(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!KeepsakeError.isInstance(error, 'conflict')) throw error
  })
}

/** Removes what an erasure of a case leaves outside the case's own entities. */
async function tidy({ store, name }: ModelContext, ...reports: ErasureReport[]): Promise<void> {
  const derived = ['bob', 'carl'].map((who) => ({
    entity: encodeTuple(['derived']),
    key: encodeTuple(['e']) + encodeTuple([ownerEntity(name(who))]),
  }))
  const audits = reports.map(({ auditId }) => ({
    entity: encodeTuple(['audit']),
    key: encodeTuple(['erasure', auditId]),
  }))
  await store.remove([...derived, ...audits])
}

export const erasureCases: MemoryModelCase[] = modelCasesOf('erasure', [
  [
    'all of a person goes, counted by kind, and every row of another stays as it was',
    async (context) => {
      const { store, name, rows } = context
      await live(context, 'bob')
      const before = ofOthers(await rows(), context)
      await live(context, 'zoe')
      const dry = await eraseSubject(store, name('zoe'), { dryRun: true })
      expectEqual(countsOf(dry), ALL, 'what a dry run counts')
      // Where it cannot be found it would not be missed.
      const found = (await context.everything?.())?.includes(name('zoe')) ?? true
      expectEqual(found, true, 'that the person is found in the database')
      const report = await eraseSubject(store, name('zoe'), NOW)
      expectEqual(countsOf(report), ALL, 'what went')
      await expectNoTrace(context)
      expectRows(ofOthers(await rows(), context), before, 'rows of the other')
      const again = await eraseSubject(store, name('zoe'), NOW)
      expectEqual(countsOf(again), {}, 'what there is to erase after that')
      await tidy(context, report, again)
    },
  ],
  [
    'what is about a person, or was derived from them, goes from memories of others',
    async (context) => {
      const { store, name } = context
      const [bob, carl] = [records(store, name('bob')), records(store, name('carl'))]
      const chat = chatMemory(store)
      await live(context, 'zoe')
      await chat.append(name('bob-t'), [say('I am here')], { owner: name('bob') })
      await chat.append(name('bob-t'), [say(`${name('zoe')} is here`)], { owner: name('bob'), subject: name('zoe') })
      await bob.put(['own'], 'mine', { sources: [name('bob-t')] })
      await bob.put(['about'], `${name('zoe')} eats no nuts`, { subject: name('zoe') })
      await bob.put(['from'], 'a thread', { sources: [sourceText({ thread: name('zoe-t1') })] })
      await carl.put(['from-that'], 'a record', { sources: [sourceText({ owner: name('bob'), record: ['from'] })] })
      const report = await eraseSubject(store, name('zoe'), NOW)
      // Bob's thread and records are in the directory of the person too.
      const others = { derived: 2, directory: THREADS + 3, messages: THREADS + 1, records: RECORDS + 1 }
      expectEqual(countsOf(report), countsOf({ ...report, counts: { ...ALL, ...others } }), 'what went')
      await expectNoTrace(context)
      expectEqual(said(await chat.messages(name('bob-t'))), ['I am here'], "the other's thread")
      expectEqual(
        (await bob.list([])).items.map(({ key }) => key),
        [['own']],
        "the other's records",
      )
      expectEqual((await carl.list([])).items.length, 0, 'what was derived from what was derived')
      await tidy(context, report)
    },
  ],
  [
    'an erasure whose removals fail goes on where it was, and nothing is counted twice',
    async (context) => {
      const { store, name } = context
      await live(context, 'zoe')
      let report: ErasureReport | undefined
      let attempts = 0
      for (; report === undefined; attempts++) {
        // Each attempt gets one removal further, and learns of it or not.
        const kind = attempts % 2 === 0 ? 'lose-answer' : 'fail'
        const faulty = faultyStore(store, [{ method: 'remove', index: attempts >> 1, fault: { kind } }])
        report = await eraseSubject(faulty, name('zoe'), NOW).catch((error: unknown) => {
          if (KeepsakeError.isInstance(error, 'unavailable')) return undefined
          throw error
        })
      }
      expectEqual(attempts > 4, true, 'that several attempts failed')
      const more = Object.entries(report.counts).filter(([kind, n]) => n > (ALL[kind as keyof typeof ALL] ?? 0))
      expectEqual(more, [], 'what is counted more often than it was there')
      await expectNoTrace(context)
      await tidy(context, report)
    },
  ],
  [
    'nothing of a person is stored while they are erased, and it is afterwards',
    async (context) => {
      const { store, name } = context
      const zoe = name('zoe')
      await live(context, 'zoe')
      const refused: Promise<unknown>[] = []
      const chat = chatMemory(store)
      const report = await eraseSubject(store, zoe, {
        graceMs: 500,
        onProgress({ step }) {
          if (step !== 'wait' || refused.length > 0) return
          refused.push(
            expectError(chat.append(name('zoe-t0'), [say(zoe)], { owner: zoe }), 'conflict', 'an append'),
            expectError(chat.append(name('zoe-new'), [say(zoe)], { owner: zoe }), 'conflict', 'a new thread'),
            expectError(records(store, zoe).put(['k'], zoe), 'conflict', 'a record'),
          )
        },
      })
      await Promise.all(refused)
      expectEqual(refused.length, 3, 'writers that were refused')
      await expectNoTrace(context)
      await chat.append(name('zoe-t0'), [say('again')], { owner: zoe })
      await records(store, zoe).put(['k'], 'again')
      expectEqual(said(await chat.messages(name('zoe-t0'), { owner: zoe })), ['again'], 'the thread')
      expectEqual((await records(store, zoe).get(['k']))?.value, 'again', 'the record')
      await tidy(context, report)
    },
  ],
  [
    'what 24 writers had sent when an erasure began does not stay',
    async (context) => {
      const { store, name } = context
      const zoe = name('zoe')
      const chat = chatMemory(store)
      const kinds = [
        (i: number) => chat.append(name(`zoe-t${i % 2}`), [say(zoe)], { owner: zoe, opId: `op-${i}` }),
        (i: number) => records(store, zoe).put(['k', String(i)], zoe),
        (i: number) => records(store, name('bob')).put(['about', String(i)], zoe, { subject: zoe }),
      ]
      const [report] = await together([
        eraseSubject(store, zoe, { graceMs: 3_000 }),
        ...Array.from({ length: 24 }, (_, i) => orRefused(kinds[i % 3]!(i))),
      ])
      await expectNoTrace(context)
      await tidy(context, report)
    },
  ],
  [
    "rows of whoever is called almost like a person are not the person's",
    async (context) => {
      const { store, name } = context
      const alike = ['zoe2', 'zo', 'zoe ', 'Zoe'].map((suffix) => name(suffix))
      for (const owner of alike) {
        await chatMemory(store).append(`${owner}-thread`, [say('hello')], { owner })
        await records(store, owner).put(['k'], 'v')
      }
      await live(context, 'zoe')
      const report = await eraseSubject(store, name('zoe'), NOW)
      expectEqual(countsOf(report), ALL, 'what went')
      for (const owner of alike) {
        expectEqual((await records(store, owner).get(['k']))?.value, 'v', `the record of ${owner}`)
        expectEqual(said(await chatMemory(store).messages(`${owner}-thread`)), ['hello'], `the thread of ${owner}`)
        expectEqual(
          (await store.entities({ prefix: threadEntity(`${owner}-thread`), limit: 1 })).length,
          1,
          'its entity',
        )
      }
      await tidy(context, report)
    },
  ],
])
