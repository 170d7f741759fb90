import { describe, expect, it } from 'vitest'
import { readFrontMatter, writeFrontMatter } from '../src/front-matter.ts'

describe('front matter', () => {
  it.for([
    ['---\nname: a\ndescription: "b: c"\n---\n# T\n', { name: 'a', description: 'b: c' }, '# T\n'],
    ['\uFEFF---\r\nname: a\r\n---\r\nx\r\n', { name: 'a' }, 'x\n'],
    ['---\ndescription: >\n  two\n  lines\n---\nx', { description: 'two lines' }, 'x'],
    ['---\non: yes\nat: 2024-01-01\nlist: [1]\n---\n', { on: 'yes', at: '2024-01-01' }, ''],
    ['---\n---\nx', {}, 'x'],
    ['---\na: 1\na: 2\n---\nx', { a: '2' }, 'x'],
    ['---\n__proto__: x\nconstructor: y\n---\nx', { ['__proto__']: 'x', constructor: 'y' }, 'x'],
    ['# no\n---\na: b\n---\n', {}, '# no\n---\na: b\n---\n'],
    ['---\nnever: closed\n', {}, '---\nnever: closed\n'],
    ['---\n{{{\n---\nx', {}, '---\n{{{\n---\nx'],
    ['---\na: &x [1]\nb: *x\n---\nx', {}, '---\na: &x [1]\nb: *x\n---\nx'],
    ['---\n- a list\n---\nx', {}, '---\n- a list\n---\nx'],
  ] as [string, object, string][])('of %j', ([text, fields, body]) => {
    expect(readFrontMatter(text)).toEqual({ fields, body })
  })

  it.for(['plain', 'with: colon', '"quoted"', "it's", '- dash', '# hash', 'ünï 🍣', '---', 'yes', '{a}', '@x', '%'])(
    'gives back the description %j',
    (description) => {
      const text = writeFrontMatter({ description }, 'body\n')
      expect(readFrontMatter(text)).toEqual({ fields: { description }, body: '\nbody\n' })
    },
  )

  it('is left out where it would be empty', () => {
    expect(writeFrontMatter({ description: '' }, 'x')).toBe('x')
  })
})
