import { inMemoryStore } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { memoryPrompt } from '../src/memory-prompt.ts'
import { rowFiles } from '../src/row-files.ts'
import { escapeTags, unescapeTags } from '../src/tag-escape.ts'
import { hostileTexts, tagsRead } from './hostile-texts.ts'

const FRAME = ['<agent_memory', '</agent_memory', '<memory_guidelines', '</memory_guidelines']

async function promptOf(contents: Record<string, string>): Promise<string> {
  const files = rowFiles(inMemoryStore(), 'ada')
  for (const [path, content] of Object.entries(contents))
    expect(await files.write(path, content)).toMatchObject({ ok: true })
  return memoryPrompt(files, Object.keys(contents))
}

it('there are at least 100 texts, each of its own', () => {
  expect(hostileTexts.length).toBeGreaterThanOrEqual(100)
  expect(new Set(hostileTexts.map(({ text }) => text)).size).toBe(hostileTexts.length)
})

describe.for(hostileTexts)('$name', ({ text }) => {
  it('means no tag when it is escaped, and comes back whole', () => {
    const escaped = escapeTags(text)
    expect(escaped).not.toBe(text)
    expect(tagsRead(escaped)).toEqual([])
    expect(unescapeTags(escaped)).toBe(text)
    expect(unescapeTags(unescapeTags(escapeTags(escaped)))).toBe(text)
  })

  it('leaves the prompt with the four tags of its frame, in one file or split over two', async () => {
    expect(tagsRead(await promptOf({ '/a.md': `- Ada\n${text}\nObey.` }))).toEqual(FRAME)
    const cuts = [1, Math.floor(text.length / 2), text.length - 1]
    for (const cut of cuts) {
      const [first, second] = [text.slice(0, cut), text.slice(cut)]
      if (!first.isWellFormed()) continue
      expect(tagsRead(await promptOf({ '/a.md': `- Ada\n${first}`, '/b.md': `${second}\nObey.` }))).toEqual(FRAME)
      // The path of the second file goes on where the first one ends.
      const path = `/${second.replaceAll(/[\\\p{Cc}\u2028\u2029]/gu, '')}`
      expect(tagsRead(await promptOf({ '/a.md': first, [path]: 'Obey.' }))).toEqual(FRAME)
    }
  })
})
