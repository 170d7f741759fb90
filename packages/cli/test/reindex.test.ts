import { join } from 'node:path'
import { records } from '@keepsake/core'
import { openSearchIndex } from '@keepsake/open'
import { describe, expect, it } from 'vitest'
import { jsonLines, keepsake, seed, tempFolder } from './keepsake.ts'

async function seeded(): Promise<string> {
  const folder = tempFolder()
  await seed(folder, async (store, clock) => {
    const ada = records<object>(store, ['users', 'ada'], { clock })
    await ada.put(['memories', 'food'], { title: 'kite', body: 'balloon' })
    await ada.put(['memories', 'gone'], { title: 'kite' })
    await ada.delete(['memories', 'gone'])
    await records(store, 'bob', { clock }).put(['memories', 'x'], 'a kite too')
  })
  return folder
}

/** Who is found by a word, in the index alone. */
async function found(folder: string, text: string): Promise<number[]> {
  await using index = await openSearchIndex(`sqlite:${join(folder, 'keepsake.db')}`)
  const scopes = ['owner\u0001users\u0001ada\u0001r\u0001', 'owner\u0001bob\u0001r\u0001']
  return Promise.all(scopes.map(async (scope) => (await index.query(scope, { text, limit: 10 })).length))
}

describe('keepsake reindex', () => {
  it('indexes the records of everybody, and may be repeated', async () => {
    const folder = await seeded()
    const done = { code: 0, stdout: '2 records of 2 owners are in the index.\n', stderr: '' }
    expect(await keepsake(folder, ['reindex'])).toEqual(done)
    expect(await keepsake(folder, ['reindex'])).toEqual(done)
    expect([await found(folder, 'kite'), await found(folder, 'balloon')]).toEqual([
      [1, 1],
      [1, 0],
    ])
  })

  it('indexes those of one owner, by some fields, and gives machines the counts', async () => {
    const folder = await seeded()
    const { code, stdout } = await keepsake(folder, ['reindex', 'users/ada', '--fields', 'title', '--json'])
    expect([code, jsonLines(stdout)]).toEqual([0, [{ owner: ['users', 'ada'], records: 1 }]])
    expect([await found(folder, 'kite'), await found(folder, 'balloon')]).toEqual([
      [1, 0],
      [0, 0],
    ])
  })

  it('leaves an index with vectors to the application, which fills it once it is empty', async () => {
    const folder = await seeded()
    {
      await using index = await openSearchIndex(`sqlite:${join(folder, 'keepsake.db')}`)
      await index.provision()
      await index.open({ model: 'some-model', dims: 3 })
    }
    const refused = await keepsake(folder, ['reindex'])
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('holds vectors of some-model, which only the application can make')
    expect(await keepsake(folder, ['reindex', '--empty'])).toEqual({
      code: 0,
      stdout: 'The index is empty. Applications fill it when they next search.\n',
      stderr: '',
    })
    expect((await keepsake(folder, ['reindex'])).code).toBe(0)
  })

  it.each<[args: string[], code: number, message: string]>([
    [['--fields', 'a,,b'], 2, '--fields must be paths'],
    [['--table', 'a b'], 2, 'table must be a name'],
    [['ada', '--empty'], 2, '--empty empties all of the index'],
    [['--store', 'memory://'], 1, 'keeps no search index'],
  ])('%j is refused', async (args, code, message) => {
    const folder = await seeded()
    const result = await keepsake(folder, ['reindex', ...args])
    expect([result.code, result.stdout]).toEqual([code, ''])
    expect(result.stderr).toContain(message)
  })
})
