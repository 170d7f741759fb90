import { inMemoryStore, inProcessIndex, records } from '@keepsake/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutMarkdown, storeMarkdown, type StoredPassage } from '../src/markdown.ts'

const handbook = `Welcome to the harbour.

# Travel

Ask before you book.

## Hotels \`and\` *inns*

The office pays up to 120 francs a night.

\`\`\`sh
# this is no heading
\`\`\`

## Trains

Second class.

Pets
====

Dogs may come on Fridays.
`

describe('cutMarkdown', () => {
  it('cuts at headings, and at nothing that only looks like one', () => {
    expect(cutMarkdown(handbook)).toEqual([
      { content: 'Welcome to the harbour.', headings: [], line: 1 },
      { content: 'Ask before you book.', headings: ['Travel'], line: 5 },
      {
        content: 'The office pays up to 120 francs a night.\n\n```sh\n# this is no heading\n```',
        headings: ['Travel', 'Hotels and inns'],
        line: 9,
      },
      { content: 'Second class.', headings: ['Travel', 'Trains'], line: 17 },
      { content: 'Dogs may come on Fridays.', headings: ['Pets'], line: 22 },
    ])
  })

  it('cuts what is too long between its blocks, and a block only where it must', () => {
    const text = `# A\n\n${'a'.repeat(8)}\n\n${'b'.repeat(8)}\n\n${'c'.repeat(25)}`
    expect(cutMarkdown(text, { maxCharacters: 10 }).map(({ content, line }) => [content, line])).toEqual([
      ['aaaaaaaa', 3],
      ['bbbbbbbb', 5],
      ['c'.repeat(10), 7],
      ['c'.repeat(10), 7],
      ['c'.repeat(5), 7],
    ])
    expect(cutMarkdown(text, { maxCharacters: 18 })[0]!.content).toBe('aaaaaaaa\n\nbbbbbbbb')
  })

  it('parts no character, and leaves no word out', () => {
    const blocks = fc.array(fc.constantFrom('# one', '## two', 'some words', '🚢🚢🚢', '- a\n- b', '```\n# x\n```'), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(blocks, fc.integer({ min: 2, max: 40 }), (parts, maxCharacters) => {
        const text = parts.join('\n\n')
        const passages = cutMarkdown(text, { maxCharacters })
        for (const { content, line } of passages) {
          expect(content.isWellFormed()).toBe(true)
          expect(content.length).toBeLessThanOrEqual(maxCharacters)
          expect(
            text
              .split('\n')
              .slice(line - 1)
              .join('\n'),
          ).toContain(content)
        }
        const letters = (value: string): number => value.match(/[sdr🚢]/gu)?.length ?? 0
        expect(passages.reduce((sum, { content }) => sum + letters(content), 0)).toBe(letters(text))
      }),
    )
  })

  it('of nothing is nothing', () => {
    expect(cutMarkdown('')).toEqual([])
    expect(cutMarkdown('# only\n\n## headings')).toEqual([])
    expect(() => cutMarkdown(3 as never)).toThrow('must be a text')
    expect(() => cutMarkdown('', { maxCharacters: 0 })).toThrow('maxCharacters')
  })
})

describe('storeMarkdown', () => {
  const setup = () => records(inMemoryStore(), 'org', { index: inProcessIndex() })

  it('makes passages that are found, with where they are from', async () => {
    const known = setup()
    expect(await storeMarkdown(known, 'handbook.md', handbook)).toBe(5)
    const { items } = await known.search(['documents'], 'Does the office pay for hotels?')
    expect(items[0]!.value).toMatchObject({ source: 'handbook.md', headings: ['Travel', 'Hotels and inns'], line: 9 })
  })

  it('takes over a new version: what is gone is found no more, what stays is not written again', async () => {
    const known = setup()
    await storeMarkdown(known, 'handbook.md', handbook)
    await storeMarkdown(known, 'other.md', handbook)
    const before = (await known.list(['documents', 'handbook.md'])).items
    await storeMarkdown(known, 'handbook.md', handbook.replace('Dogs may come on Fridays.', 'No pets at all.'))
    const after = (await known.list(['documents', 'handbook.md'])).items
    expect(after).toHaveLength(5)
    const same = after.filter(({ key, version }) =>
      before.some((one) => one.key.join() === key.join() && one.version === version),
    )
    expect(same).toHaveLength(4)
    const { items } = await known.search(['documents', 'handbook.md'], 'dogs')
    expect(items).toEqual([])
    const [other] = (await known.search(['documents', 'other.md'], 'dogs')).items
    expect(other!.value).toMatchObject({ headings: ['Pets'] })
  })

  it('keeps the same words twice, in their order', async () => {
    const known = setup()
    await storeMarkdown(known, 'a.md', '# A\n\nsame\n\n# A\n\nsame\n\n# A\n\nsame')
    const lines = (await known.list(['documents'])).items.map(({ value }) => (value as unknown as StoredPassage).line)
    expect(lines.toSorted((a, b) => a - b)).toEqual([3, 7, 11])
  })

  it('refuses a document without a source', async () => {
    await expect(storeMarkdown(setup(), '', 'x')).rejects.toThrow('source must say')
  })
})
