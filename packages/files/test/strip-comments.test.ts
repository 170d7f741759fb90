import { describe, expect, it } from 'vitest'
import { stripComments } from '../src/strip-comments.ts'

describe('stripComments', () => {
  it.for([
    ['a comment at the top', '<!-- note -->\n# User\n\n- Ada\n', '# User\n\n- Ada\n'],
    ['a comment of several lines', '# User\n<!--\nnote\n\nmore\n-->\n- Ada\n', '# User\n- Ada\n'],
    ['a comment between paragraphs, with one blank line left', 'a\n\n<!-- note -->\n\nb\n', 'a\n\nb\n'],
    ['comments one after another', 'a\n\n<!-- 1 -->\n<!-- 2 -->\n\n<!-- 3 -->\n\nb\n', 'a\n\nb\n'],
    ['comments on one line', 'a\n\n<!-- 1 --> <!-- 2 -->\n\nb\n', 'a\n\nb\n'],
    ['blank lines after a comment at the top', '<!-- note -->\n\n\n# User\n', '# User\n'],
    ['a comment at the end', 'a\n\n<!-- note -->', 'a\n\n'],
    ['a comment within a line', 'a <!-- note --> b\n', 'a  b\n'],
    ['a comment at the end of a line, with its spaces', 'a  <!-- note -->\nb\n', 'a\nb\n'],
    ['a text behind a comment', '<!-- note --> shown\n', ' shown\n'],
    ['a text before and behind', 'x <!-- 1 --> y <!-- 2 -->\n', 'x  y\n'],
    ['a comment in a list', '- a\n\n  <!-- note -->\n\n- b\n', '- a\n\n- b\n'],
    ['a comment in a list item', '- a <!-- note -->\n- b\n', '- a\n- b\n'],
    ['a comment in a quote', '> a\n> <!-- note -->\n> b\n', '> a\n>\n> b\n'],
    ['a comment over lines of a quote', '> <!-- 1\n> 2 -->\n> b\n', '>\n> b\n'],
    ['a comment in a table', '| a |\n|---|\n| <!-- note -->b |\n', '| a |\n|---|\n| b |\n'],
    ['a comment in HTML', '<div>\n<!-- note -->\n<b>x</b>\n</div>\n', '<div>\n<b>x</b>\n</div>\n'],
    ['a comment in a heading', '# User <!-- note -->\n', '# User\n'],
    ['a comment in emphasis', '*a <!-- note -->* **<!-- note -->b**\n', '*a * **b**\n'],
    ['an empty comment', 'a\n\n<!---->\n\nb\n', 'a\n\nb\n'],
    ['the shortest comments', 'a\n\n<!-->\n\nb\n\n<!--->\n\nc\n', 'a\n\nb\n\nc\n'],
    ['a comment with dashes', '<!-- a -- b --- c -->\nx\n', 'x\n'],
    ['a comment with a tag in it', '<!-- </agent_memory> -->\nx\n', 'x\n'],
    ['a comment with a fence in it', '<!--\n```\n-->\nx\n', 'x\n'],
    ['an indented comment', '   <!-- note -->\nx\n', 'x\n'],
    ['a comment behind a fence', '```\ncode\n```\n<!-- note -->\nx\n', '```\ncode\n```\nx\n'],
  ])('removes %s', async ([, markdown = '', expected]) => {
    expect(await stripComments(markdown)).toBe(expected)
  })

  it.for([
    ['a fence', '```html\n<!-- shown -->\n```\n'],
    ['a fence of tildes', '~~~\n<!-- shown -->\n~~~\n'],
    ['a longer fence around a shorter', '````md\n```\n<!-- shown -->\n```\n<!-- shown -->\n````\n'],
    ['a fence of tildes around one of backticks', '~~~~\n```\n<!-- shown -->\n~~~\n~~~~\n'],
    ['an unclosed fence', '```\n<!-- shown -->\n'],
    ['a fence in a list', '- a\n\n  ```\n  <!-- shown -->\n  ```\n'],
    ['a fence in a quote', '> ```\n> <!-- shown -->\n> ```\n'],
    ['indented code', 'a\n\n    <!-- shown -->\n\nb\n'],
    ['code indented by a tab', 'a\n\n\t<!-- shown -->\n'],
    ['inline code', 'Write `<!-- shown -->` to hide it.\n'],
    ['inline code of two backticks', 'Write ``<!-- `shown` -->`` to hide it.\n'],
    ['an escaped comment', 'a \\<!-- shown -->\n'],
    ['an entity', '&lt;!-- shown -->\n'],
    ['an unclosed comment', '# User\n\n<!-- never closed\n\n- Ada\n'],
    ['an unclosed comment in a line', 'a <!-- never closed\n\nb\n'],
    ['no comment at all', '# User\n\n\n\n- Ada\n'],
    ['only an end', 'a --> b\n'],
  ])('leaves %s', async ([, markdown = '']) => {
    expect(await stripComments(markdown)).toBe(markdown)
  })

  it('removes what is closed before what is not', async () => {
    expect(await stripComments('<!-- 1 -->\na\n\n<!-- never\n\nb\n')).toBe('a\n\n<!-- never\n\nb\n')
  })

  it('leaves blank lines in code as they are', async () => {
    const code = '```\na\n\n\n<!-- shown -->\n\n\nb\n```\n'
    expect(await stripComments(`<!-- note -->\n${code}`)).toBe(code)
  })

  it('is done soon with many comments that are never closed', async () => {
    const markdown = '<!--\n'.repeat(20_000)
    const startMs = performance.now()
    expect(await stripComments(markdown)).toBe(markdown)
    expect(await stripComments(`x ${'<!-- '.repeat(2_000)}\n`)).toBe(`x ${'<!-- '.repeat(2_000)}\n`)
    expect(performance.now() - startMs).toBeLessThan(10_000)
  })
  it('is done soon with emphasis that is never closed', async () => {
    const markdown = '*a_ '.repeat(12_500)
    const startMs = performance.now()
    expect(await stripComments(`<!-- note -->\n\n${markdown}`)).toBe(markdown)
    expect(performance.now() - startMs).toBeLessThan(10_000)
  })
})
