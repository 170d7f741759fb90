import { chatMemory, records } from '@keepsake/core'
import { openSearchIndex } from '@keepsake/open'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonLines, keepsake, seed, tempFolder } from './keepsake.ts'

async function seeded(): Promise<string> {
  const folder = tempFolder()
  await seed(folder, async (store, clock) => {
    const chat = chatMemory(store, { clock })
    await chat.append('t1', [{ role: 'user', content: 'I am zoe' }], { owner: 'zoe' })
    await chat.append('t2', [{ role: 'user', content: 'I am bob' }], { owner: 'bob' })
    await records(store, 'zoe', { clock }).put(['food'], 'pizza', { sources: ['t1'] })
    await records(store, 'bob', { clock }).put(['zoe'], 'a friend', { sources: ['t1'] })
  })
  return folder
}

// A thread's head, its message, its place in the list, the record and what bob derived; two entities in the directory, and
// one that has derived records.
const COUNTS = { derived: 1, directory: 3, heads: 1, messages: 1, records: 1, thread_list: 1 }

describe('keepsake erase', () => {
  it('says what would go, and changes nothing without --yes', async () => {
    const folder = await seeded()
    const before = await keepsake(folder, ['export'])
    const { code, stdout } = await keepsake(folder, ['erase', 'zoe'])
    expect(code).toBe(0)
    expect(stdout).toBe(
      [
        'KIND         ROWS',
        'derived         1',
        'directory       3',
        'heads           1',
        'messages        1',
        'records         1',
        'thread_list     1',
        '8 rows would go; nothing was changed. To erase them, repeat it with --yes.',
        '',
      ].join('\n'),
    )
    const dry = await keepsake(folder, ['erase', 'zoe', '--dry-run', '--json'])
    expect(jsonLines(dry.stdout)).toEqual([
      { subject: 'zoe', store: 'sqlite:keepsake.db', status: 'found', rows: 8, counts: COUNTS },
    ])
    expect(await keepsake(folder, ['export'])).toEqual(before)
  })

  it("takes what it erases out of the search index in the store's database", async () => {
    const folder = await seeded()
    await keepsake(folder, ['reindex'])
    const found = async () => {
      await using index = await openSearchIndex(`sqlite:${join(folder, 'keepsake.db')}`)
      const hits = ['zoe', 'bob'].map((owner) => index.versions(`owner\u0001${owner}\u0001r\u0001`))
      return (await Promise.all(hits)).map((ids) => [...ids.keys()])
    }
    expect(await found()).toEqual([['r\u0001food\u0001'], ['r\u0001zoe\u0001']])
    await keepsake(folder, ['erase', 'zoe'])
    expect(await found()).toEqual([['r\u0001food\u0001'], ['r\u0001zoe\u0001']])
    expect((await keepsake(folder, ['erase', 'zoe', '--yes', '--grace', '0'])).code).toBe(0)
    expect(await found()).toEqual([[], []])
    // A table that is named must be there.
    expect((await keepsake(folder, ['erase', 'zoe', '--table', 'other'])).code).toBe(4)
  })

  it('erases with --yes, and leaves an audit record', async () => {
    const folder = await seeded()
    const { code, stdout } = await keepsake(folder, ['erase', 'zoe', '--yes', '--grace', '0', '--json'])
    expect(code).toBe(0)
    const [report] = jsonLines(stdout) as { auditId: string }[]
    expect(report).toMatchObject({ status: 'erased', rows: 8, counts: COUNTS })
    const left = (await keepsake(folder, ['export'])).stdout
    expect(left).not.toContain('zoe')
    expect(left).toContain('I am bob')
    const audit = await keepsake(folder, ['get', 'audit', `erasure/${report!.auditId}`, '--json'])
    expect(jsonLines(audit.stdout)).toMatchObject([{ value: { action: 'erase', counts: COUNTS } }])
    expect((await keepsake(folder, ['erase', 'zoe'])).stdout).toBe('sqlite:keepsake.db holds nothing of zoe.\n')
  })

  it('refuses what cannot be meant', async () => {
    const folder = await seeded()
    expect((await keepsake(folder, ['erase', 'zoe', '--yes', '--dry-run'])).code).toBe(2)
    expect((await keepsake(folder, ['erase', ''])).code).toBe(2)
    expect((await keepsake(folder, ['erase'])).code).toBe(2)
    expect((await keepsake(tempFolder(), ['erase', 'zoe'])).code).toBe(4)
  })
})

describe('keepsake export --subject', () => {
  it('writes all that is held about a person, as lines that can be read', async () => {
    const folder = await seeded()
    const { code, stdout } = await keepsake(folder, ['export', '--subject', 'zoe'])
    expect(code).toBe(0)
    const time = { createdAt: '2024-01-01T00:00:01.000Z', updatedAt: '2024-01-01T00:00:01.000Z' }
    const items = jsonLines(stdout) as { key: string[] }[]
    expect(items).toHaveLength(3)
    expect(items).toContainEqual({
      kind: 'records',
      entity: ['owner', 'zoe'],
      key: ['r', 'food'],
      value: 'pizza',
      ...time,
      sources: ['t1'],
    })
    expect(items).toContainEqual({
      kind: 'derived',
      entity: ['owner', 'bob'],
      key: ['r', 'zoe'],
      value: 'a friend',
      ...time,
      sources: ['t1'],
    })
    expect(items.find(({ key }) => key[0] === 'm')).toMatchObject({
      kind: 'messages',
      entity: ['thread', 't1'],
      value: [{ role: 'user', content: 'I am zoe' }],
    })
  })

  it('writes them to a file', async () => {
    const folder = await seeded()
    const { code, stdout } = await keepsake(folder, ['export', '--subject', 'zoe', '--out', 'zoe.jsonl'])
    expect([code, stdout]).toEqual([0, 'Wrote 3 items to zoe.jsonl.\n'])
    expect(jsonLines(readFileSync(join(folder, 'zoe.jsonl'), 'utf8'))).toHaveLength(3)
    expect((await keepsake(folder, ['export', '--subject', 'zoe', '--entity', 'owner/zoe'])).code).toBe(2)
  })
})
