import { describe, expect, it } from 'vitest'
import { sourceText } from '../src/sources.ts'

describe('sourceText', () => {
  it.each([
    [{ thread: 't1' }, 'thread:t1'],
    [{ thread: 't/1#', message: 'm 1' }, 'thread:t%2F1%23#m%201'],
    [{ owner: ['users', 'zoe'], record: ['memories', 'food'] }, 'record:users/zoe#memories/food'],
    [{ owner: 'zoe', file: '/AGENTS.md' }, 'file:zoe#/AGENTS.md'],
    [{ tool: 'fetch', call: 'c1' }, 'tool:fetch#c1'],
    [{ origin: 'https://example.com/' }, 'origin:https:%2F%2Fexample.com%2F'],
  ])('of %j is %s', (source, text) => {
    expect(sourceText(source)).toBe(text)
  })
})
