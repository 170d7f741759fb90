import { describe, expect, it } from 'vitest'
import {
  chatMemory,
  createClock,
  encodeTuple,
  inMemoryStore,
  ownerEntity,
  records,
  type RowStore,
  type RowWrite,
} from '@keepsake/core'
import { testMemoryModels, testRowStore } from '@keepsake/store-testing'
import { encrypted, encryptStore, keyring, subjectKeys, type SubjectKeys } from '../src/encryption/index.ts'

const KEK = new Uint8Array(32).fill(7)
const keysOver = (store: RowStore = inMemoryStore()): SubjectKeys =>
  subjectKeys({ store, wrapping: keyring([['first', KEK]]) })

const open = async (): Promise<RowStore> => encrypted(inMemoryStore(), { keys: keysOver() })
const lessRoom = 'a record that encryption adds 42 bytes to is at most 42 bytes short of 4 MiB'
testRowStore('encrypted memory', open, {
  skip: {
    'every store takes records of 4 MiB': lessRoom,
    'a large record is replaced by a small one, and a small one by a large one': lessRoom,
  },
})
testMemoryModels('encrypted memory', open, {
  skip: { 'an update to more than 4 MiB is refused, and what was there stays': lessRoom },
})

/** Every byte that a store holds, as one text. */
async function dump(store: RowStore): Promise<string> {
  let text = ''
  for (const entity of await store.entities({ limit: 1000 })) {
    for (const row of await store.scan(entity, { limit: 1000 })) text += Buffer.from(row.rec).toString('latin1')
  }
  return text
}

const ROW = { entity: 'e', key: 'k', seq: 5, updatedAtMs: 1 }
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)
const rec = (value: string): Uint8Array => new TextEncoder().encode(value)

describe('encrypted', () => {
  it('says that keys are missing', () => {
    expect(() => encrypted(inMemoryStore(), {} as never)).toThrow(
      'encrypted: keys is missing; pass subjectKeys({ store, wrapping }).',
    )
  })

  it('lets no text of a record reach the store, and gives it back', async () => {
    const inner = inMemoryStore()
    const store = encrypted(inner, { keys: keysOver() })
    await chatMemory(store).append('t', [{ role: 'user', content: 'My secret is Rosebud' }], { owner: 'ada' })
    await records(store, 'ada').put(['likes'], { food: 'Rosebud pie' })
    expect(await dump(inner)).not.toContain('Rosebud')
    expect((await chatMemory(store).messages('t'))[0]).toMatchObject({ content: 'My secret is Rosebud' })
    expect((await records(store, 'ada').get(['likes']))?.value).toEqual({ food: 'Rosebud pie' })
  })

  it('writes equal bytes for equal writes, in two processes', async () => {
    const inner = inMemoryStore()
    const keyStore = inMemoryStore()
    await encrypted(inner, { keys: keysOver(keyStore) }).write([{ ...ROW, rec: rec('same') }])
    const [first] = await inner.load([ROW])
    await encrypted(inner, { keys: keysOver(keyStore) }).write([{ ...ROW, rec: rec('same') }])
    expect((await inner.load([ROW]))[0]).toEqual(first)
  })

  it.each([
    ['another key', { key: 'other' }],
    ['another entity', { entity: 'other' }],
    ['another version', { seq: 6 }],
  ])('does not open a record that was copied to %s', async (_, changed) => {
    const inner = inMemoryStore()
    const store = encrypted(inner, { keys: keysOver() })
    await store.write([{ ...ROW, rec: rec('Rosebud') }])
    const [row] = await inner.load([ROW])
    await inner.write([{ ...row!, ...changed }])
    const where = { ...ROW, ...changed }
    await expect(store.load([where])).rejects.toMatchObject({
      code: 'invalid_value',
      details: { entity: where.entity, key: where.key, seq: where.seq },
      message: expect.not.stringContaining('Rosebud'),
    })
  })

  it('names the row, and no content, whichever bit of it is another', async () => {
    const inner = inMemoryStore()
    const store = encrypted(inner, { keys: keysOver() })
    await store.write([{ ...ROW, rec: rec('Rosebud') }])
    const [row] = await inner.load([ROW])
    for (let bit = 0; bit < row!.rec.length * 8; bit++) {
      const flipped = row!.rec.slice()
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      await inner.write([{ ...row!, rec: flipped }])
      const error: unknown = await store.load([ROW]).catch((e: unknown) => e)
      expect(error).toMatchObject({ code: expect.stringMatching(/^(invalid_value|unsupported)$/) })
      expect(String(error)).not.toContain('Rosebud')
    }
  })

  it('refuses a record that was planted unencrypted, unless it is told to read such', async () => {
    const inner = inMemoryStore()
    const keys = keysOver()
    await inner.write([{ ...ROW, rec: rec('planted') }])
    await expect(encrypted(inner, { keys }).load([ROW])).rejects.toMatchObject({
      code: 'invalid_value',
      message: 'The row "k" of "e" cannot be decrypted: it is not encrypted (see readPlain). It was left as it is.',
    })
    expect(text((await encrypted(inner, { keys, readPlain: true }).load([ROW]))[0]?.rec)).toBe('planted')
  })

  it('reads what a destroyed key wrote as tombstones, and goes on with a new one', async () => {
    const inner = inMemoryStore()
    const keys = keysOver()
    const store = encrypted(inner, { keys })
    const ada = records(store, 'ada')
    await ada.put(['a'], 1)
    await records(store, 'bob').put(['b'], 2)
    const backup = await inner.scan(ownerEntity('ada'), { limit: 10 })
    expect(await keys.destroy('ada')).toBe(1)
    expect(await keys.destroy('ada')).toBe(0)
    expect(await ada.get(['a'])).toBeUndefined()
    expect((await records(store, 'bob').get(['b']))?.value).toBe(2)

    await ada.put(['a'], 'again')
    expect((await ada.get(['a']))?.value).toBe('again')

    const restored = inMemoryStore()
    await restored.write(backup)
    expect(await records(encrypted(restored, { keys }), 'ada').get(['a'])).toBeUndefined()
  })

  it('shows a thread whose key was destroyed as gone, and lets it begin anew', async () => {
    const keys = keysOver()
    const chat = chatMemory(encrypted(inMemoryStore(), { keys }))
    await chat.append('t', [{ role: 'user', content: 'before' }], { owner: 'ada', opId: '1' })
    await keys.destroy('ada')
    expect(await chat.messages('t', { owner: 'ada' })).toEqual([])
    expect((await chat.threads({ owner: 'ada' })).items).toEqual([])
    expect(await chat.appended('t', '1', { owner: 'ada' })).toBeUndefined()

    await chat.append('t', [{ role: 'user', content: 'after' }], { owner: 'ada', opId: '1' })
    expect((await chat.messages('t', { owner: 'ada' })).map(({ content }) => content)).toEqual(['after'])
    expect((await chat.threads({ owner: 'ada' })).items.map(({ id }) => id)).toEqual(['t'])
    await chat.clear('t', { owner: 'ada' })
    expect(await chat.messages('t')).toEqual([])
  })

  it('leaves of a thread what others said, when the key of one was destroyed', async () => {
    let nowMs = 1_000_000_000_000
    const clock = createClock({ nowMs: () => nowMs })
    const keys = keysOver()
    const chat = chatMemory(encrypted(inMemoryStore(), { keys }), { clock, ttlMs: 1000 })
    const say = async (content: string, subject: string) =>
      chat.append('t', [{ role: 'user', content }], { owner: 'team', subject, opId: content })
    const said = async () => (await chat.messages('t', { owner: 'team' })).map(({ content }) => content)
    await say('ours', 'team')
    await say('hers', 'ada')
    await keys.destroy('ada')
    expect(await said()).toEqual(['ours'])
    // A repeat of what is gone brings nothing back.
    expect(await say('hers', 'ada')).toEqual([])
    expect(await said()).toEqual(['ours'])
    nowMs += 999
    await say('more', 'team')
    nowMs += 999
    expect(await said()).toEqual(['ours', 'more'])
    await keys.destroy('team')
    expect(await said()).toEqual([])
  })

  it('keeps for its owner a thread of which all is gone, and tells its time by what is left', async () => {
    let nowMs = 1_000_000_000_000
    const clock = createClock({ nowMs: () => nowMs })
    const keys = keysOver()
    const subjectOf = ({ key, rec: { length } }: RowWrite): string[] => [
      key === encodeTuple(['m']) ? 'team' : length > 1000 ? 'ada' : 'bob',
    ]
    const chat = chatMemory(encrypted(inMemoryStore(), { keys, subjectOf }), { clock, ttlMs: 1000 })
    const say = async (content: string, owner = 'team') => chat.append('t', [{ role: 'user', content }], { owner })
    await say('bob')
    await say('ada'.repeat(1000))
    await keys.destroy('ada')
    nowMs += 1001
    expect(await chat.messages('t')).toEqual([])
    nowMs -= 1001
    expect((await chat.messages('t')).map(({ content }) => content)).toEqual(['bob'])

    await keys.destroy('bob')
    await expect(say('mine', 'eve')).rejects.toMatchObject({ code: 'wrong_owner' })
    await say('ours')
    expect((await chat.messages('t', { owner: 'team' })).map(({ content }) => content)).toEqual(['ours'])
  })

  it('uses a key that another process destroyed for cacheMs, and no longer', async () => {
    let nowMs = 1_000_000
    const clock = createClock({ nowMs: () => nowMs })
    const keyStore = inMemoryStore()
    const wrapping = keyring([['first', KEK]])
    const here = subjectKeys({ store: keyStore, wrapping, clock, cacheMs: 1000 })
    const there = subjectKeys({ store: keyStore, wrapping, clock, cacheMs: 1000 })
    const store = encrypted(inMemoryStore(), { keys: here })
    await records(store, 'ada').put(['a'], 1)
    await there.destroy('ada')
    nowMs += 999
    expect((await records(store, 'ada').get(['a']))?.value).toBe(1)
    nowMs += 1
    expect(await records(store, 'ada').get(['a'])).toBeUndefined()
  })

  it('recognises a repeat though the key was rotated between', async () => {
    const keys = keysOver()
    const store = encrypted(inMemoryStore(), { keys })
    const entity = ownerEntity('ada')
    const write = { ...ROW, entity, rec: rec('mine'), guard: 'absent' as const }
    expect(await store.write([write])).toEqual([{ status: 'applied' }])
    await keys.rotate('ada')
    expect(await store.write([write])).toEqual([{ status: 'applied' }])
    expect(await store.write([{ ...write, rec: rec('theirs') }])).toEqual([{ status: 'stale', seq: 5 }])
    expect(text((await store.load([write]))[0]?.rec)).toBe('mine')
  })

  it('is turned on for a store that holds rows, and brings rotated keys everywhere', async () => {
    const inner = inMemoryStore()
    const keys = keysOver()
    const plain = records(inner, 'ada')
    for (let i = 0; i < 250; i++) await plain.put(['n', String(i)], `Rosebud ${i}`)
    await plain.delete(['n', '7'])
    const before = await inner.scan(ownerEntity('ada'), { limit: 1000 })

    const seen: number[] = []
    // 249 records and the directory row of ada; the tombstone is no record.
    expect(await encryptStore(inner, { keys, onProgress: ({ rows }) => seen.push(rows) })).toEqual({
      rows: 251,
      rewritten: 250,
    })
    expect(seen.at(-1)).toBe(251)
    expect(await dump(inner)).not.toContain('Rosebud')
    expect(await encrypted(inner, { keys }).scan(ownerEntity('ada'), { limit: 1000 })).toEqual(before)
    expect(await encryptStore(inner, { keys })).toEqual({ rows: 251, rewritten: 0 })
    await keys.rotate('ada')
    expect(await encryptStore(inner, { keys })).toEqual({ rows: 251, rewritten: 250 })
    expect(await encrypted(inner, { keys }).scan(ownerEntity('ada'), { limit: 1000 })).toEqual(before)
  })

  it('takes records of 42 bytes less than the store does, and says so', async () => {
    const inner = inMemoryStore()
    const store = encrypted(inner, { keys: keysOver() })
    expect(inner.limits.maxRecBytes - store.limits.maxRecBytes).toBe(42)
    await store.write([{ ...ROW, rec: new Uint8Array(store.limits.maxRecBytes) }])
    await expect(store.write([{ ...ROW, rec: new Uint8Array(store.limits.maxRecBytes + 1) }])).rejects.toMatchObject({
      code: 'too_large',
    })
  })
})

describe('subjectKeys', () => {
  it('wraps all keys anew, so that the old key-encryption key can go', async () => {
    const keyStore = inMemoryStore()
    const inner = inMemoryStore()
    await records(encrypted(inner, { keys: keysOver(keyStore) }), 'ada').put(['a'], 1)
    await records(encrypted(inner, { keys: keysOver(keyStore) }), 'bob').put(['b'], 2)
    const next = new Uint8Array(32).fill(8)
    const both = subjectKeys({
      store: keyStore,
      wrapping: keyring([
        ['second', next],
        ['first', KEK],
      ]),
    })
    expect(await both.rewrap()).toBe(2)
    expect(await both.rewrap()).toBe(0)
    const keys = subjectKeys({ store: keyStore, wrapping: keyring([['second', next]]) })
    expect((await records(encrypted(inner, { keys }), 'ada').get(['a']))?.value).toBe(1)
    await expect(records(encrypted(inner, { keys: keysOver(keyStore) }), 'ada').get(['a'])).rejects.toMatchObject({
      code: 'invalid_value',
      message: 'The keyring has no key "second", which wrapped a data key. Add it.',
    })
  })

  it('says that a key-encryption key of the right name is another key', async () => {
    const keyStore = inMemoryStore()
    await keysOver(keyStore).rotate('ada')
    const wrong = subjectKeys({ store: keyStore, wrapping: keyring([['first', new Uint8Array(32)]]) })
    await expect(wrong.current(['ada'])).rejects.toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining('it is another key'),
    })
  })

  it('agrees with other processes on one key, whoever makes it first', async () => {
    const keyStore = inMemoryStore()
    const ids = await Promise.all(Array.from({ length: 10 }, () => keysOver(keyStore).current(['ada'])))
    const sealed = ids.map(({ key }) => Buffer.from(key.seal(rec('x'), rec('y'))).toString('hex'))
    expect(new Set(sealed).size).toBe(1)
    expect(ids.map(({ id }) => id.generation)).toEqual(Array(10).fill(1))
  })

  it('keeps no name of a person', async () => {
    const keyStore = inMemoryStore()
    await keysOver(keyStore).rotate('ada@example.com')
    const [row] = await keyStore.scan((await keyStore.entities({ limit: 1 }))[0]!, { limit: 10 })
    expect(row!.key + Buffer.from(row!.rec).toString('latin1')).not.toContain('ada')
  })

  it('refuses a record of a key store that is not this one', async () => {
    const inner = inMemoryStore()
    await records(encrypted(inner, { keys: keysOver() }), 'ada').put(['a'], 1)
    await expect(records(encrypted(inner, { keys: keysOver() }), 'ada').get(['a'])).rejects.toMatchObject({
      code: 'invalid_value',
      message: expect.stringContaining('its data key is not in this key store; open the one that belongs to it'),
    })
  })
})
