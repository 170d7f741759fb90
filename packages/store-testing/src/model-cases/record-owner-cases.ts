import {
  chatMemory,
  decodeEnvelope,
  encodeTuple,
  ownerEntity,
  records,
  subjectEntity,
  threadEntity,
  type Owner,
} from '@keepsake/core'
import { distinctPairs } from '../cases/hostile-strings.ts'
import { shown } from '../cases/rows.ts'
import { expectEqual, expectError } from '../expect.ts'
import { say } from './chats.ts'
import { modelCasesOf, type MemoryModelCase, type ModelCaseEntry } from './model-case.ts'
import { watched } from './watched-store.ts'

const nobody: readonly (readonly [string, unknown])[] = [
  ['an empty text', ''],
  ['an empty tuple', []],
  ['a tuple of nothing', ['', '']],
  ['undefined', undefined],
  ['null', null],
  ['a number', 5],
  ['an object', { id: 'ada' }],
  ['a tuple with a hole', ['users', undefined]],
]

/** The entities in the order in which they were first written. */
function firstWrites(writes: readonly (readonly { entity: string }[])[]): string[] {
  return [...new Set(writes.flatMap((rows) => rows.map(({ entity }) => entity)))]
}

export const recordOwnerCases: MemoryModelCase[] = modelCasesOf('owners and subjects', [
  ...distinctPairs.map(([a, b]): ModelCaseEntry => [
    `owners ${shown(a)} and ${shown(b)} have memories of their own`,
    async ({ store, name }) => {
      const [left, right] = [a, b].map((suffix) => records<string>(store, [name(), suffix]))
      await left!.put(['k'], 'left')
      await right!.put(['k'], 'right')
      expectEqual((await left!.get(['k']))!.value, 'left', 'the left')
      expectEqual(await right!.deleteAll([]), 1, 'what the right deletes')
      expectEqual(
        (await left!.list([])).items.map(({ value }) => value),
        ['left'],
        'the left afterwards',
      )
    },
  ]),
  ...['%', '_', '*', '?', '\\', '[a-z]', '.*'].map((wildcard): ModelCaseEntry => [
    `an owner ${shown(wildcard)} sees its own records only, and deletes no others`,
    async ({ store, name }) => {
      await records<string>(store, [name(), 'x']).put(['k'], 'secret')
      const notes = records<string>(store, [name(), wildcard])
      expectEqual((await notes.list([])).items, [], 'what it sees')
      expectEqual((await notes.prefixes([])).items, [], 'namespaces that it sees')
      expectEqual((await notes.search([], 'secret')).items, [], 'what it finds')
      expectEqual(await notes.deleteAll([]), 0, 'what it deletes')
      expectEqual((await records<string>(store, [name(), 'x']).get(['k']))!.value, 'secret', 'what is there')
    },
  ]),
  ...nobody.map(([what, owner]): ModelCaseEntry => [
    `${what} is nobody: records and subjects refuse it`,
    async ({ store, name, rows }) => {
      const make = async () => records(store, owner as Owner)
      await expectError(make(), 'invalid_key', 'an owner')
      const subject = owner as Owner
      if (owner !== undefined) {
        await expectError(records(store, name()).put(['k'], 1, { subject }), 'invalid_key', 'the subject of a record')
        const append = chatMemory(store).append(name(), [say('a')], { owner: name(), subject })
        await expectError(append, 'invalid_key', 'the subject of an append')
      }
      expectEqual(await rows(), [], 'rows')
    },
  ]),
  [
    'a name and the tuple of it are one owner; a longer tuple is another, and so is a joined name',
    async ({ store, name }) => {
      await records<string>(store, name()).put(['k'], 'mine')
      expectEqual((await records<string>(store, [name()]).get(['k']))!.value, 'mine', 'the tuple of one')
      for (const other of [[name(), 'k'], [name(), ''], [name('\u0001')]]) {
        expectEqual((await records(store, other).list([])).items, [], 'another tuple')
      }
    },
  ],
  [
    'owner, subject and sources are in what is stored',
    async ({ store, name }) => {
      const owner = ['users', name()]
      const notes = records<string>(store, owner)
      const read = async (key: string) => {
        const [row] = await store.load([{ entity: ownerEntity(owner), key: encodeTuple(['r', key]) }])
        const envelope = decodeEnvelope(row!.rec)
        return [envelope.owner ?? null, envelope.subject ?? null, envelope.sources ?? null]
      }
      await notes.put(['plain'], 'x')
      await notes.put(['derived'], 'x', { subject: [name('bob')], sources: ['m1', 'm2'] })
      await notes.update(['derived'], () => 'y')
      expectEqual(await read('plain'), [owner, null, null], 'plain')
      expectEqual(await read('derived'), [owner, [name('bob')], ['m1', 'm2']], 'derived, after an update')
      await notes.update(['derived'], () => 'z', { sources: [] })
      expectEqual(await read('derived'), [owner, [name('bob')], null], 'with other sources')
      await store.removeEntity(ownerEntity(owner))
    },
  ],
  [
    "records: the subject's directory knows of an entity before anything is in it",
    async ({ store, name }) => {
      const notes = watched(store)
      const mine = records<number>(notes.store, name('o'))
      await mine.put(['k'], 1)
      await mine.put(['k'], 1, { subject: name('s') })
      await mine.update(['u'], () => 1, { subject: name('u') })
      await mine.put(['c'], 1, { subject: name('c'), ifVersion: null })
      expectEqual(
        firstWrites(notes.writes),
        [
          subjectEntity(name('o')),
          ownerEntity(name('o')),
          ...['s', 'u', 'c'].map((suffix) => subjectEntity(name(suffix))),
        ],
        'what was written first',
      )
      for (const suffix of ['o', 's', 'u', 'c']) {
        const listed = await store.scan(subjectEntity(name(suffix)), { limit: 10 })
        expectEqual(
          listed.map(({ key }) => key),
          [encodeTuple(['e', ownerEntity(name('o'))])],
          `directory of ${suffix}`,
        )
        const order = notes.writes.findIndex((rows) => rows[0]!.entity === subjectEntity(name(suffix)))
        // Directory rows that were written before are sent again, in front.
        const [first] = notes.writes[order + 1]!.filter(({ entity }) => !entity.startsWith(encodeTuple(['subject'])))
        expectEqual(first!.entity, ownerEntity(name('o')), `what follows the directory of ${suffix}`)
      }
    },
  ],
  [
    "records: a subject's directory that was lost is there again with its next record, in the same call",
    async ({ store, name }) => {
      const notes = watched(store)
      const mine = records<number>(notes.store, name('o'))
      const writes: readonly (readonly [string, () => Promise<unknown>])[] = [
        ['put', () => mine.put(['k'], 1)],
        ['putMany', () => mine.putMany([{ key: ['k'], value: 1 }])],
        ['update', () => mine.update(['k'], () => 1)],
        ['put over a version', () => mine.put(['new'], 1, { ifVersion: null })],
      ]
      await mine.put(['k'], 0)
      for (const [what, write] of writes) {
        // As after a transaction that was rolled back, or where somebody erased the person.
        await store.removeEntity(subjectEntity(name('o')))
        notes.writes.length = 0
        await write()
        expectEqual(
          notes.writes.map((rows) => rows.map(({ entity }) => entity)),
          [[subjectEntity(name('o')), ownerEntity(name('o'))]],
          `what a ${what} writes`,
        )
        expectEqual((await store.scan(subjectEntity(name('o')), { limit: 10 })).length, 1, `rows after a ${what}`)
      }
    },
  ],
  [
    "chat: the directories of owner and subject know of a thread and the owner's list before anything is in them",
    async ({ store, name }) => {
      const notes = watched(store)
      const [owner, subject, thread] = [name('o'), name('s'), name('t')]
      await chatMemory(notes.store).append(thread, [say('a')], { owner, subject })
      expectEqual(
        firstWrites(notes.writes),
        [subjectEntity(subject), subjectEntity(owner), ownerEntity(owner), threadEntity(thread)],
        'what was written first',
      )
      for (const who of [owner, subject]) {
        const listed = await store.scan(subjectEntity(who), { limit: 10 })
        const expected = [ownerEntity(owner), threadEntity(thread)].map((entity) => encodeTuple(['e', entity]))
        expectEqual(
          listed.map(({ key }) => key),
          expected,
          'a directory',
        )
      }
      await chatMemory(notes.store).append(thread, [say('b')], { subject: name('later') })
      const listed = await store.scan(subjectEntity(name('later')), { limit: 10 })
      expectEqual(
        listed.map(({ key }) => key),
        [encodeTuple(['e', threadEntity(thread)])],
        'of a later subject',
      )
    },
  ],
])
