import { array, assert, asyncProperty, constantFrom } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stripComments } from '../src/strip-comments.ts'
import { stripWithRemark } from './oracle/strip-with-remark.ts'

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
    ['a comment in an item that begins with a blank line', '- \n  <!-- note -->\n', '- \n'],
    ['a comment behind an item that begins with two', '-\n\n  <!-- note -->\n', '-\n\n'],
    ['a comment in an item of another number', '2) a\n\n   <!-- note -->\n', '2) a\n\n'],
    ['a comment behind a number in a paragraph', 'a\n2) ``` <!-- note -->\n', 'a\n2) ```\n'],
    ['a comment in preformatted HTML', '<pre>\n`\n\n<!-- note -->\n</pre>\n`\n', '<pre>\n`\n\n</pre>\n`\n'],
    ['a comment below a lone tag', '<x>\n` <!-- note --> `\n', '<x>\n`  `\n'],
    ['a comment in a quote that goes on', '> a\n<x>\n    <!-- note -->\n', '> a\n<x>\n'],
    ['a comment behind a fence', '```\ncode\n```\n<!-- note -->\nx\n', '```\ncode\n```\nx\n'],
  ])('removes %s', ([, markdown = '', expected]) => {
    expect(stripComments(markdown)).toBe(expected)
  })

  it.for([
    ['a fence', '```html\n<!-- shown -->\n```\n'],
    ['a fence of tildes', '~~~\n<!-- shown -->\n~~~\n'],
    ['a longer fence around a shorter', '````md\n```\n<!-- shown -->\n```\n<!-- shown -->\n````\n'],
    ['a fence of tildes around one of backticks', '~~~~\n```\n<!-- shown -->\n~~~\n~~~~\n'],
    ['a fence in an item of another number', '2) ```\n   <!-- shown -->\n   ```\n'],
    ['a fence in an item after indented code', '    code\n2) ```\n   <!-- shown -->\n'],
    ['code in an item that begins with a blank line', '-\n      <!-- shown -->\n'],
    ['code below a lone tag in a paragraph', 'a\n<x>\n` <!-- shown --> `\n'],
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
  ])('leaves %s', ([, markdown = '']) => {
    expect(stripComments(markdown)).toBe(markdown)
  })

  it('removes what is closed before what is not', () => {
    expect(stripComments('<!-- 1 -->\na\n\n<!-- never\n\nb\n')).toBe('a\n\n<!-- never\n\nb\n')
  })

  it('leaves blank lines in code as they are', () => {
    const code = '```\na\n\n\n<!-- shown -->\n\n\nb\n```\n'
    expect(stripComments(`<!-- note -->\n${code}`)).toBe(code)
  })

  // No items that are empty or begin with another number than 1: remark takes them for text after indented code and in a
  // quote after a paragraph, and CommonMark does not; nor does it let a lone tag end a paragraph that goes on lazily. These are in the tables above.
  const blocks =
    '>·> ·- a·- <!--·- ```·- > ·- - a·* a·1. a·1. ```·    ·#·# ·***·---·===·```·~~~·````·\n·\n·\n\n·\n    ·\n> ·\n- a·\n  ·\t· ·  '
  const html = '<!--·-->·<!-- a -->·<!-->·<div>·</div>·\n<?·?>·\n<!A·>\n'
  const inlines = '`·``·a·b c·\\·\\<·_·|'
  const pieces = array(constantFrom(...`${blocks}·${html}·${inlines}`.split('·')), { maxLength: 40, size: 'max' })

  it('does what remark does', async () => {
    await assert(
      asyncProperty(pieces, async (drawn) => {
        const markdown = drawn.join('')
        expect(stripComments(markdown)).toBe(await stripWithRemark(markdown))
      }),
      { seed: 1, numRuns: 3000 },
    )
  }, 60_000)

  it.for([
    ['comments', '<!---->'],
    ['comments in a line', '<!---->a'],
    ['comments between paragraphs', '<!--x-->\n\na\n\n'],
    ['comments in a list', '- a <!--x-->\n'],
    ['comments that are never closed', '<!--\n'],
    ['comments that are never closed, in a line', 'x <!-- '],
    ['quotes in quotes', '>'],
    ['lists in lists', '- '],
    ['lists in lists, and blank lines', '- \n'],
    ['quotes of lists', '> - '],
    ['backticks', '`'],
    ['runs of backticks', '` `` ``` a '],
    ['rising runs of backticks', 'RISING'],
    ['emphasis', '*a_ '],
    ['brackets', '[a]('],
    ['tags', '<a b="'],
    ['tags with many attributes', ' a'],
    ['spaces', ' '],
    ['tabs', '\t'],
    ['blank lines', '\n'],
    ['blank lines in a fence', '\n```\n'],
    ['breaks', '* '],
    ['backslashes', '\\'],
    ['carriage returns', '\r'],
  ])('takes 1 MB of %s in linear time', ([, unit = '']) => {
    const rising = Array.from({ length: 2000 }, (_, i) => '`'.repeat(i + 1)).join(' ')
    const many = unit === 'RISING' ? rising : unit.repeat(1_000_000 / unit.length)
    const startMs = performance.now()
    for (const text of [`${many}a\n\n<!--x-->`, `<!--x-->\n\n<a ${many}`]) {
      expect(stripComments(text).length).toBeLessThanOrEqual(text.length)
    }
    // What is quadratic takes minutes.
    expect(performance.now() - startMs).toBeLessThan(10_000)
  })
})
