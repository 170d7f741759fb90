import { describe, expect, test } from 'vitest'
import {
  chatMemory,
  createClock,
  encodeEnvelope,
  inMemoryStore,
  KeepsakeError,
  subjectEntity,
  threadEntity,
  threadTurns,
  type Clock,
  type Message,
  type RowStore,
  type TurnMark,
  type TurnPlace,
} from '../src/index.ts'

function setup() {
  const store = inMemoryStore()
  let ids = 0
  const clock = createClock({ nowMs: () => Date.UTC(2026, 0, 1), newId: () => `id-${++ids}` })
  return { store, clock, turns: threadTurns(store, clock), chat: chatMemory(store, { clock }) }
}

/** The head of runs, as an engine writes it. */
async function say(store: RowStore, clock: Clock, said: TurnPlace): Promise<void> {
  const rec = encodeEnvelope({ value: { said: { ...said } }, createdAtMs: 0 })
  const key = threadTurns(store, clock).headKey
  await store.write([{ entity: threadEntity('t'), key, seq: clock.nextSeq(), rec, updatedAtMs: 0 }])
}

const user = (content: string): Message => ({ role: 'user', content })

async function write(
  { store, turns }: ReturnType<typeof setup>,
  text: string,
  mark: TurnMark,
  owner?: string,
  subject?: string,
): Promise<TurnPlace> {
  const read = await turns.read('t', owner === undefined ? {} : { owner })
  const { row } = await turns.place({ threadId: 't', messages: [user(text)], read, owner, subject }, mark)
  await store.write([row])
  return { s: mark.s, ep: mark.ep, seq: row.seq }
}

const shown = async ({ chat }: ReturnType<typeof setup>): Promise<unknown[]> =>
  (await chat.messages('t')).map(({ content }) => content)

describe('a turn', () => {
  test('is part of its thread once the head of runs names its commit, and not before', async () => {
    const at = setup()
    const first = await write(at, 'A', { s: at.clock.nextSeq(), ep: 1 })
    expect(await shown(at)).toEqual([])
    expect((await at.chat.threads()).items).toEqual([])
    await say(at.store, at.clock, first)
    expect(await shown(at)).toEqual(['A'])
    expect((await at.chat.threads()).items).toMatchObject([{ id: 't' }])
  })

  test('of a worker that lost is skipped, wherever it stands; appends of others stay', async () => {
    const at = setup()
    const first = await write(at, 'A', { s: at.clock.nextSeq(), ep: 1 })
    await say(at.store, at.clock, first)
    await at.chat.append('t', [user('B')])
    const s = at.clock.nextSeq()
    await write(at, 'zombie', { s, ep: 2, previous: first })
    const second = await write(at, 'C', { s, ep: 3, previous: first })
    await write(at, 'late zombie', { s, ep: 2, previous: first })
    await write(at, 'zombie of the turn before', { s: first.s, ep: 2 })
    await say(at.store, at.clock, second)
    await write(at, 'not yet', { s: at.clock.nextSeq(), ep: 4, previous: second })
    expect(await shown(at)).toEqual(['A', 'B', 'C'])
    expect(await at.chat.messages('t', { last: 1 })).toMatchObject([{ content: 'C' }])
    await at.chat.append('t', [user('D')])
    expect(await shown(at)).toEqual(['A', 'B', 'C', 'D'])
  })

  test('that is gone leaves those before it where they are', async () => {
    const at = setup()
    const first = await write(at, 'A', { s: at.clock.nextSeq(), ep: 1 })
    const second = await write(at, 'B', { s: at.clock.nextSeq(), ep: 2, previous: first })
    const third = await write(at, 'C', { s: at.clock.nextSeq(), ep: 3, previous: second })
    await say(at.store, at.clock, third)
    const rows = await at.store.scan(threadEntity('t'), { limit: 10 })
    await at.store.remove(rows.filter(({ seq }) => seq === second.seq))
    expect(await shown(at)).toEqual(['A', 'C'])
  })

  test('goes with the life of its thread, and lands in no other', async () => {
    const at = setup()
    const first = await write(at, 'A', { s: at.clock.nextSeq(), ep: 1 })
    await say(at.store, at.clock, first)
    const read = await at.turns.read('t', {})
    await at.chat.clear('t')
    const second = { s: at.clock.nextSeq(), ep: 2 }
    const draft = { threadId: 't', messages: [user('late')], read, owner: undefined, subject: undefined }
    const { row } = await at.turns.place(draft, { ...second, previous: first })
    await at.store.write([row])
    await say(at.store, at.clock, { ...second, seq: row.seq })
    expect(await shown(at)).toEqual([])
    await at.chat.append('t', [user('new')])
    expect(await shown(at)).toEqual(['new'])
  })

  test("is its owner's and its subject's", async () => {
    const at = setup()
    const first = await write(at, 'A', { s: at.clock.nextSeq(), ep: 1 }, 'ada', 'patient-1')
    await say(at.store, at.clock, first)
    await write(at, 'B', { s: at.clock.nextSeq(), ep: 2, previous: first }, 'ada', 'patient-2')
    await expect(at.turns.read('t', { owner: 'eve' })).rejects.toSatisfy((error) =>
      KeepsakeError.isInstance(error, 'wrong_owner'),
    )
    for (const subject of ['ada', 'patient-1', 'patient-2'])
      expect(await at.store.scan(subjectEntity(subject), { limit: 9 }), subject).not.toEqual([])
  })

  test('is copied with what is before it', async () => {
    const at = setup()
    await at.chat.append('t', [user('A')], { owner: 'ada' })
    const mark = { s: at.clock.nextSeq(), ep: 1 }
    const read = await at.turns.read('t', {})
    const messages = [user('B'), user('C')]
    const draft = { threadId: 't', messages, read, owner: 'ada', subject: undefined }
    const { row } = await at.turns.place(draft, mark)
    await at.store.write([row])
    const first = { ...mark, seq: row.seq }
    await say(at.store, at.clock, first)
    await at.chat.append('t', [user('D')])
    const before: unknown[] = []
    await at.turns.copy('t', { ...first, count: 1 }, 'u', {}, async () => {
      before.push(...(await at.chat.messages('u')))
      const rec = encodeEnvelope({ value: { said: first }, createdAtMs: 0 })
      const { headKey: key } = at.turns
      await at.store.write([{ entity: threadEntity('u'), key, seq: at.clock.nextSeq(), rec, updatedAtMs: 0 }])
    })
    expect(before).toEqual([])
    expect((await at.chat.messages('u', { owner: 'ada' })).map(({ content }) => content)).toEqual(['A', 'B'])
    await expect(at.turns.copy('t', { ...first, count: 1 }, 'u', {}, async () => {})).rejects.toThrow(/exists already/)
  })
})
