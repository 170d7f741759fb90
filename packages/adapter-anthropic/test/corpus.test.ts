import { describe, expect, it } from 'vitest'
import { corpus } from './corpus.ts'
import { kinds, ours, theirs, type RunCommand } from './support.ts'

/** On a disk the size of a directory is that of its inode: it depends on the disk, so only files are compared. */
function comparable(answer: string): string {
  return answer.replaceAll(/^[\d.]+[BKMG](?=\t(?:.*\/|\/memories(?:\/(?:b|b\/c|d|f))?)$)/gm, 'SIZE')
}

async function answers(run: RunCommand, calls: (typeof corpus)[string]): Promise<string[]> {
  const all: string[] = []
  for (const call of calls) all.push(`${JSON.stringify(call)}\n${comparable(await run(call))}`)
  return all
}

describe.for(Object.keys(kinds))('on %s, the answers are those of the SDK', (kind) => {
  it.for(Object.keys(corpus))('%s', async (name) => {
    const expected = await answers(await theirs(), corpus[name]!)
    expect(await answers(ours(await kinds[kind]!()), corpus[name]!)).toEqual(expected)
  })
})

it('the corpus is not small', () => {
  expect(Object.values(corpus).flat().length).toBeGreaterThan(100)
})
