import { chatMemory, records, sourceText } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { jsonLines, keepsake, seed, tempFolder } from './keepsake.ts'

const TIME = '2024-01-01 00:00:01Z'

async function seeded(): Promise<string> {
  const folder = tempFolder()
  await seed(folder, async (store, clock) => {
    const zoe = records(store, 'zoe', { clock })
    await chatMemory(store, { clock }).append('t1', [{ role: 'user', content: 'hi' }], { owner: 'zoe' })
    await zoe.put(['episodes', '1'], 'trip', { sources: ['t1', sourceText({ tool: 'fetch', call: 'c1' })] })
    await zoe.put(['facts', 'a/b'], 'likes trips', {
      sources: [
        sourceText({ owner: 'zoe', record: ['episodes', '1'] }),
        sourceText({ owner: 'zoe', record: ['gone'] }),
      ],
    })
  })
  return folder
}

describe('keepsake sweep', () => {
  it('counts, and removes with --yes what is older than its rule says', async () => {
    const folder = await seeded()
    const keep = ['--keep', 'messages=1d', '--keep', 'records:episodes=1w']
    const found = await keepsake(folder, ['sweep', ...keep])
    expect([found.code, found.stdout]).toEqual([
      0,
      'messages: 1\nrecords: 1\n2 rows would go; nothing was changed. To remove them, repeat it with --yes.\n',
    ])
    const removed = await keepsake(folder, ['sweep', ...keep, '--yes', '--json'])
    expect(jsonLines(removed.stdout)).toEqual([{ status: 'removed', rows: 2, counts: { messages: 1, records: 1 } }])
    expect((await keepsake(folder, ['sweep', ...keep, '--yes'])).stdout).toBe('Removed 0 rows.\n')
    expect((await keepsake(folder, ['sweep', '--keep', 'records=100y'])).stdout).toBe('Nothing is due.\n')
  })

  it.each([
    ['nothing', []],
    ['no period', ['--keep', 'messages']],
    ['no kind of ours', ['--keep', 'everything=1d']],
    ['a namespace of messages', ['--keep', 'messages:x=1d']],
    ['both', ['--keep', 'messages=1d', '--yes', '--dry-run']],
  ])('refuses %s', async (_, args) => {
    expect((await keepsake(await seeded(), ['sweep', ...args])).code).toBe(2)
  })
})

describe('keepsake why', () => {
  it('follows what a record was derived from', async () => {
    const folder = await seeded()
    const { code, stdout } = await keepsake(folder, ['why', 'zoe', String.raw`facts/a\/b`])
    expect(stdout).toBe(
      [
        String.raw`facts/a\/b  written ${TIME}, about zoe`,
        `  from record:zoe#episodes/1  ${TIME}`,
        '    from t1',
        '    from tool:fetch#c1',
        '  from record:zoe#gone',
        '',
      ].join('\n'),
    )
    expect(code).toBe(0)
  })

  it('says what is not there', async () => {
    expect((await keepsake(await seeded(), ['why', 'zoe', 'nothing'])).code).toBe(3)
  })
})
