import { describe, expect, it } from 'vitest'
import { chatMemory } from '../src/chat/chat-memory.ts'
import { createClock } from '../src/clock.ts'
import { eraseSubject, type ErasureProgress } from '../src/erasure/erase-subject.ts'
import { ownerEntity, subjectEntity, threadEntity } from '../src/owner.ts'
import { records } from '../src/records/records.ts'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { inProcessIndex } from '../src/search/in-process-index.ts'
import { encodeTuple } from '../src/rows/keys.ts'
import type { Row, RowStore } from '../src/rows/row-store.ts'
import { sourceText } from '../src/sources.ts'
import { decodeEnvelope } from '../src/values/envelope.ts'
import { allRows, lives, NOW, say, traces } from './erasure-support.ts'

describe('eraseSubject', () => {
  it('removes all of an owner and nothing of others, and counts every row by its kind', async () => {
    const store = inMemoryStore()
    await lives(store, 'bob', 3)
    const before = await allRows(store)
    await lives(store, 'zoe', 3)
    await records(store, 'zoe', { area: 'f' }).put(['AGENTS.md'], { text: 'zoe' })

    const report = await eraseSubject(store, 'zoe', NOW)
    // Three threads: a head, an append and a claim of the operation each, and a place in the list.
    const counts = { heads: 3, messages: 3, claims: 3, thread_list: 3, records: 3, files: 1, directory: 4 }
    expect(report.counts).toEqual(counts)
    expect(report.stores).toEqual([{ name: 'memory', counts }])
    expect(await traces(store, 'zoe')).toEqual([])
    const left = await allRows(store)
    expect(left.filter(({ entity }) => entity !== encodeTuple(['audit']))).toEqual(before)
  })

  it('keeps an audit record that holds no content and no name', async () => {
    const store = inMemoryStore()
    await lives(store, 'zoe', 1)
    const clock = createClock({ nowMs: () => Date.UTC(2026, 0, 1) })
    const { auditId, counts } = await eraseSubject(store, 'zoe', { ...NOW, clock })
    const [row, ...more] = await store.scan(encodeTuple(['audit']), { limit: 10 })
    expect(more).toEqual([])
    expect(row!.key).toBe(encodeTuple(['erasure', auditId]))
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(auditId + subjectEntity('zoe')))
    expect(decodeEnvelope(row!.rec).value).toEqual({
      action: 'erase',
      beganAtMs: Date.UTC(2026, 0, 1),
      completedAtMs: Date.UTC(2026, 0, 1),
      counts,
      subjectHash: Buffer.from(digest).toString('hex'),
    })
  })

  it('removes what is about the person in memories of others, and keeps the rest of them', async () => {
    const store = inMemoryStore()
    const chat = chatMemory(store)
    const team = records(store, ['teams', 'red'])
    await team.put(['lunch'], 'at noon')
    await records(store, 'zoe').put(['neighbour'], 'bob', { subject: 'bob' })
    await team.put(['allergy'], 'no nuts for zoe', { subject: 'zoe' })
    await chat.append('red', say('I am bob'), { owner: 'bob' })
    await chat.append('red', say('I am zoe'), { owner: 'bob', subject: 'zoe' })

    const { counts } = await eraseSubject(store, 'zoe', NOW)
    // The directories of zoe (three entities) and of bob (one) named them.
    expect(counts).toEqual({ records: 2, messages: 1, directory: 4 })
    expect(await traces(store, 'zoe')).toEqual([])
    expect((await team.list([])).items.map(({ value }) => value)).toEqual(['at noon'])
    expect((await chat.messages('red')).map(({ content }) => content)).toEqual(['I am bob'])
  })

  it('removes what others derived from the person, whatever it is called, and what was derived from that', async () => {
    const store = inMemoryStore()
    const chat = chatMemory(store)
    const [message] = await chat.append('t-zoe', say('I moved to Bern'), { owner: 'zoe' })
    await chat.append('t-bob', say('hi'), { owner: 'bob' })
    const bob = records(store, 'bob')
    await bob.put(['thread'], 1, { sources: ['t-zoe'] })
    await bob.put(['message'], 1, { sources: ['t-bob', message!.id] })
    await bob.put(['text'], 1, { sources: [sourceText({ thread: 't-zoe', message: 'x' })] })
    await bob.put(['record'], 1, { sources: [sourceText({ owner: 'zoe', record: ['home'] })] })
    await bob.put(['file'], 1, { sources: [sourceText({ owner: 'zoe', file: '/a.md' })] })
    await records(store, 'carl').put(['again'], 1, { sources: [sourceText({ owner: 'bob', record: ['thread'] })] })
    await bob.put(['own'], 1, { sources: ['t-bob', 'home', sourceText({ owner: 'zoem', record: ['home'] })] })

    const dry = await eraseSubject(store, 'zoe', { dryRun: true })
    const { counts } = await eraseSubject(store, 'zoe', NOW)
    expect(counts).toEqual({ heads: 1, messages: 1, thread_list: 1, derived: 6, directory: 2 })
    expect(dry.counts).toEqual(counts)
    expect((await bob.list([])).items.map(({ key }) => key)).toEqual([['own']])
    expect((await records(store, 'carl').list([])).items).toEqual([])
  })

  it('removes what an engine keeps of a thread or entity, and its lists of work', async () => {
    const store = inMemoryStore()
    const row = (entity: string, ...key: string[]): Row => ({
      entity,
      key: encodeTuple(key),
      seq: 1,
      rec: new Uint8Array([0x83, 1, 0xf6, 0xa1, 0x61, 0x63, 0]),
      updatedAtMs: 0,
    })
    const own = encodeTuple(['entity', 'zoe'])
    const shard = encodeTuple(['work', 'entity', '3'])
    const others = [
      row(shard, 'q', '1', 'bob', 'zoe'),
      row(shard, 'due', '1', 'bob'),
      row(encodeTuple(['work', 'thread', '3']), 'x', 'zoe', 'e1'),
      row(encodeTuple(['entity', 'zoe2']), 'c', '1'),
    ]
    await store.write([
      ...others,
      row(subjectEntity('zoe'), 'e', own),
      row(own, 'c', '1', '1'),
      row(own, 'j', '1', '', '1'),
      row(own, 'in', '1', 'e1'),
      row(own, 't'),
      row(own, 'd', 'e2'),
      row(own, 'w', '1', '1'),
      row(own, 'e', 'e0'),
      row(own, 'h'),
      row(shard, 'q', '1', 'zoe', 'e1'),
      row(shard, 'due', '2', 'zoe'),
      row(shard, 'x', 'zoe', 'e2'),
    ])
    const expected = {
      commits: 1,
      journals: 1,
      inbox: 3,
      dead_letters: 2,
      working_memory: 1,
      events: 1,
      heads: 1,
      expiry: 1,
      directory: 1,
    }
    expect((await eraseSubject(store, 'zoe', { dryRun: true })).counts).toEqual(expected)
    expect((await eraseSubject(store, 'zoe', NOW)).counts).toEqual(expected)
    const left = (await allRows(store)).filter(({ entity }) => entity !== encodeTuple(['audit']))
    expect(left.map(({ entity, key }) => entity + key).toSorted()).toEqual(
      others.map(({ entity, key }) => entity + key).toSorted(),
    )
  })

  it('counts the same in a dry run, and writes nothing', async () => {
    const store = inMemoryStore()
    await lives(store, 'zoe', 5)
    const before = await allRows(store)
    const guarded: RowStore = {
      ...store,
      write: () => Promise.reject(new Error('a dry run wrote')),
      remove: () => Promise.reject(new Error('a dry run removed')),
    }
    const dry = await eraseSubject(guarded, 'zoe', { dryRun: true })
    expect(await allRows(store)).toEqual(before)
    expect(dry).toMatchObject({ dryRun: true, auditId: '' })
    const real = await eraseSubject(store, 'zoe', NOW)
    expect(real.counts).toEqual(dry.counts)
  })

  it('reports of a person of whom nothing is stored that nothing went', async () => {
    const store = inMemoryStore()
    expect(await eraseSubject([store, inMemoryStore()], ['users', 'nobody'], NOW)).toMatchObject({
      subject: ['users', 'nobody'],
      counts: {},
      stores: [{ counts: {} }, { counts: {} }],
    })
  })

  it('refuses every kind of write while it is under way, and takes new data once it is done', async () => {
    const store = inMemoryStore()
    const chat = chatMemory(store)
    await lives(store, 'zoe', 1)
    const team = records(store, 'team')
    await team.put(['a'], 1, { subject: 'zoe' })
    const refused: unknown[] = []
    let waited = false
    const onProgress = ({ step }: ErasureProgress): void => {
      if (step !== 'wait' || waited) return
      waited = true
      const conflict = (write: Promise<unknown>): Promise<unknown> =>
        write.then(
          () => 'written',
          (e) => e.code,
        )
      refused.push(
        conflict(chat.append('zoe-t0', say('in a thread that was there'), { owner: 'zoe' })),
        conflict(chat.append('zoe-t9', say('in a new one'), { owner: 'zoe' })),
        conflict(chat.append('bob-t', say('beside bob'), { owner: 'bob', subject: 'zoe' })),
        conflict(records(store, 'zoe').put(['memories', 'm0'], 'again')),
        conflict(records(store, 'zoe').put(['memories', 'bob'], 'of bob', { subject: 'bob' })),
        conflict(records(store, 'zoe').update(['memories', 'm0'], () => 'again')),
        conflict(team.put(['a'], 2, { subject: 'zoe' })),
        conflict(records(store, 'team2').put(['a'], 2, { subject: 'zoe' })),
        conflict(records(store, 'bob').put(['a'], 2)),
      )
    }
    const { counts } = await eraseSubject(store, 'zoe', { graceMs: 50, onProgress })
    expect(await Promise.all(refused)).toEqual([...Array<string>(8).fill('conflict'), 'written'])
    expect(await traces(store, 'zoe')).toEqual([])
    expect(counts).toMatchObject({ messages: 1, records: 2 })
    await chat.append('zoe-t0', say('I am back'), { owner: 'zoe' })
    await records(store, 'zoe').put(['memories', 'm0'], 'new')
    expect((await chat.messages('zoe-t0')).map(({ content }) => content)).toEqual(['I am back'])
    expect((await eraseSubject(store, 'zoe', NOW)).counts).toMatchObject({ messages: 1, records: 1 })
  })

  it('finds what was on its way when the fences went up', async () => {
    const store = inMemoryStore()
    await lives(store, 'zoe', 1)
    // An append that has read the thread, and a put that has been answered by the directory, land after the first pass.
    const late: Row[] = [
      {
        ...(await store.scan(threadEntity('zoe-t0'), { prefix: 'm\u00011', limit: 1 }))[0]!,
        key: 'm\u00011late\u0001',
      },
      { ...(await store.scan(ownerEntity('zoe'), { prefix: 'r', limit: 1 }))[0]!, key: 'r\u0001late\u0001' },
    ]
    expect(late.map(({ entity }) => entity)).toEqual([threadEntity('zoe-t0'), ownerEntity('zoe')])
    let waits = 0
    const { counts } = await eraseSubject(store, 'zoe', {
      graceMs: 20,
      onProgress: ({ step }) => {
        if (step === 'wait' && waits++ === 0) void store.write(late)
      },
    })
    expect(waits).toBe(2)
    expect(counts).toMatchObject({ messages: 2, records: 2 })
    expect(await traces(store, 'zoe')).toEqual([])
  })

  it('takes entries out of an index, also what a slow writer puts there after its row has gone', async () => {
    const store = inMemoryStore()
    const search = inProcessIndex()
    const index = { search }
    await records(store, 'zoe', { index }).put(['likes'], 'kites')
    await records(store, 'team', { index }).putMany([{ key: ['plan'], value: 'a picnic' }])
    await records(store, 'team', { index }).put(['who'], 'she flies kites', { subject: 'zoe' })
    const scopes = ['zoe', 'team'].map((owner) => ownerEntity(owner) + encodeTuple(['r']))
    const [late] = [...(await search.versions(scopes[1]!)).keys()].filter((id) => id.includes('who'))
    await eraseSubject(store, 'zoe', {
      graceMs: 1,
      indexes: [search],
      onProgress({ step }) {
        if (step !== 'wait') return
        void search.index(scopes[1]!, [{ id: late!, text: 'she flies kites' }])
        void search.index(scopes[0]!, [{ id: 'x', text: 'kites' }])
      },
    })
    const left = await Promise.all(scopes.map((scope) => search.versions(scope)))
    expect(left.map((ids) => [...ids.keys()])).toEqual([[], [encodeTuple(['r', 'plan'])]])
  })

  it('tells whoever keeps an index of rows before they go', async () => {
    const store = inMemoryStore()
    await lives(store, 'zoe', 2)
    const told: string[] = []
    await eraseSubject(store, 'zoe', {
      ...NOW,
      beforeRemove: async (rows) => {
        for (const row of await store.load(rows)) told.push(row!.key)
      },
    })
    expect(told).toContain(encodeTuple(['r', 'memories', 'm1']))
  })

  it('keeps ids apart that look alike, and owners that are tuples', async () => {
    const store = inMemoryStore()
    const alike = ['zo', 'zoe', 'zoe ', 'Zoe', 'zoe%', 'zoe_', 'z\u0001oe', '__proto__', 'zoé']
    for (const id of alike) await records(store, id).put(['k'], id)
    await records(store, ['zoe', 'x']).put(['k'], 'zoe/x')
    await records(store, ['users', 'zoe']).put(['k'], 'users/zoe')
    for (const id of ['zoe', 'zoe%', '__proto__', 'z\u0001oe']) await eraseSubject(store, id, NOW)
    const left = [...alike, ['zoe', 'x'], ['users', 'zoe']].filter(
      (id) => typeof id !== 'string' || !['zoe', 'zoe%', '__proto__', 'z\u0001oe'].includes(id),
    )
    for (const id of left) expect((await records(store, id).get(['k']))?.value).toBeTypeOf('string')
    expect(await records(store, 'zoe').get(['k'])).toBeUndefined()
    expect(await records(store, 'z\u0001oe').get(['k'])).toBeUndefined()
  })

  it.each([
    ['an empty subject', () => eraseSubject(inMemoryStore(), ''), 'invalid_key'],
    ['no stores', () => eraseSubject([], 'zoe'), 'invalid_value'],
    ['a grace that is no time', () => eraseSubject(inMemoryStore(), 'zoe', { graceMs: -1 }), 'invalid_value'],
  ])('refuses %s', async (_, call, code) => {
    await expect(call()).rejects.toMatchObject({ code })
  })
})
