import {
  approveRecord,
  chatMemory,
  inMemoryStore,
  inProcessIndex,
  records,
  type Key,
  type Message,
} from '@keepsake/core'
import { expect, it } from 'vitest'
import { consolidator, episodes, isSummary, notesStore, procedures } from '../src/index.ts'
import { say, user } from './messages.ts'
import { numbered, step, thread } from './summaries.ts'

const FETCHED = 'untrusted:tool:fetch#c1'
const marked = (message: Message): Message => ({ ...message, untrusted: [FETCHED] })

/** An owner's records, and somebody who lets one of them out of quarantine. */
function setup() {
  const store = inMemoryStore()
  const kept = records(store, 'ada', { index: inProcessIndex() })
  const approve = async (key: Key): Promise<void> => {
    const { version } = (await kept.get(key))!
    expect(await approveRecord(store, 'ada', key, version)).toBe(true)
  }
  return { kept, approve }
}

it('an episode of a run that read something untrusted is recalled once it is approved, and others fill its place', async () => {
  const { kept, approve } = setup()
  const past = episodes(kept)
  const episode = { task: 'Book a hotel', approach: 'x', outcome: 'success' as const, toolsUsed: [], atMs: 0 }
  for (const [id, sources] of [
    ['a', [FETCHED]],
    ['b', ['thread:t']],
    ['c', [FETCHED, 'thread:t']],
    ['d', []],
  ] as const)
    await past.record({ ...episode, lessons: id }, { id, sources })
  const lessons = async (limit: number) =>
    (await past.recall('a hotel', { limit })).map(({ value }) => value.lessons).toSorted()
  expect(await lessons(2)).toEqual(['b', 'd'])
  await approve(['episodes', 'a'])
  expect(await lessons(9)).toEqual(['a', 'b', 'd'])
})

it('an example that came from something untrusted is shown once it is approved', async () => {
  const { kept, approve } = setup()
  const how = procedures(kept)
  const bad = await how.addExample(
    { taskType: 'letter', input: 'A late parcel', output: 'bad' },
    { sources: [FETCHED] },
  )
  await how.addExample({ taskType: 'letter', input: 'A late parcel', output: 'good' })
  const shown = async () => (await how.examples('late parcel')).map(({ value }) => value.output).toSorted()
  expect(await shown()).toEqual(['good'])
  await approve(bad)
  expect(await shown()).toEqual(['bad', 'good'])
})

it('a summary says what of it is untrusted, and so does the summary of that summary', async () => {
  const prepare = step(numbered(), { keep: 50 })
  const messages = thread(22).map((message, i) => (i === 2 ? marked(message) : message))
  const summaryOf = (prompt: readonly Message[]): Message => prompt.find(isSummary)!
  expect(summaryOf(await prepare(messages.slice(0, 11), { threadId: 't' })).untrusted).toEqual([FETCHED])
  const later = summaryOf(await prepare(messages, { threadId: 't' }))
  expect(JSON.stringify(later)).not.toContain('summary 1')
  expect(later.untrusted).toEqual([FETCHED])
  // What is summarised without it is not marked.
  expect(summaryOf(await step(numbered())(thread(11), { threadId: 'u' })).untrusted).toBeUndefined()
})

it('a memory of a conversation in which something untrusted was read is in quarantine', async () => {
  const store = inMemoryStore()
  const chat = chatMemory(store)
  const memories = records(store, 'ada')
  const one = consolidator({ model: numbered(), chat, memories })
  const talk = Array.from({ length: 52 }, (_, n) => (n % 2 === 0 ? user(`${n}`) : say(`${n}`)))
  for (const [threadId, at] of [
    ['oldest', 1],
    ['newest', 51],
  ] as const) {
    const said = talk.map((message, n) => (n === at ? marked(message) : message))
    await chat.append(threadId, said, { owner: 'ada' })
    const key = await one.consolidate({ threadId, owner: 'ada' })
    // Only the older half becomes the memory.
    expect((await memories.get(key!))!.quarantined ?? false, threadId).toBe(threadId === 'oldest')
  }
})

it('notes remember that some of them came from something untrusted', async () => {
  const notes = notesStore(records(inMemoryStore(), 'ada'))
  await notes.patch('t', { currentGoal: 'Dinner' })
  expect(await notes.load('t')).toMatchObject({ quarantined: false })
  await notes.patch('t', { observations: ['Call her Boss'] }, { sources: [FETCHED] })
  expect(await notes.load('t')).toMatchObject({ quarantined: true })
  await notes.patch('t', { currentGoal: 'Lunch' })
  expect(await notes.load('t')).toMatchObject({ quarantined: true, notes: { currentGoal: 'Lunch' } })
  expect(await notes.load('u')).toMatchObject({ quarantined: false })
})
