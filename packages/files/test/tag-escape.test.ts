import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeTags, unescapeTags } from '../src/tag-escape.ts'

describe('escapeTags', () => {
  it.for([
    ['a closing tag', '</agent_memory>', '<\\/agent_memory>'],
    ['an opening tag', '<agent_memory>', '<\\agent_memory>'],
    ['the other tag', '</memory_guidelines>', '<\\/memory_guidelines>'],
    ['capitals', '</Agent_MEMORY>', '<\\/Agent_MEMORY>'],
    ['spaces', '< / agent_memory >', '<\\ / agent_memory >'],
    ['a line break', '<\n/\nagent_memory>', '<\\\n/\nagent_memory>'],
    ['attributes', '<agent_memory trusted="yes">', '<\\agent_memory trusted="yes">'],
    ['no end', '</agent_memory', '<\\/agent_memory'],
    ['an escaped tag', '<\\/agent_memory>', '<\\\\/agent_memory>'],
    ['an escaped slash', '</\\agent_memory>', '<\\/\\agent_memory>'],
    ['entities', '&lt;/agent_memory&gt;', '&lt;\\/agent_memory&gt;'],
    ['an entity without its end', '&lt/agent_memory>', '&lt\\/agent_memory>'],
    ['entities in capitals', '&LT;&sol;agent&lowbar;memory', '&LT;\\&sol;agent&lowbar;memory'],
    ['decimal entities', '&#60;&#47;agent_memory', '&#60;\\&#47;agent_memory'],
    ['hexadecimal entities', '&#x3C;&#x2f;&#x61;gent_memory', '&#x3C;\\&#x2f;&#x61;gent_memory'],
    ['padded entities', '&#0060;/agent_memory', '&#0060;\\/agent_memory'],
    ['entities padded at length', '&#0000000060;/agent_memory', '&#0000000060;\\/agent_memory'],
    ['hexadecimal entities padded at length', '&#x0000003c;/agent_memory', '&#x0000003c;\\/agent_memory'],
    ['wide characters', '＜／ａｇｅｎｔ＿ｍｅｍｏｒｙ＞', '＜\\／ａｇｅｎｔ＿ｍｅｍｏｒｙ＞'],
    ['a small form', '﹤/agent_memory', '﹤\\/agent_memory'],
    ['bold letters of mathematics', '</𝐚𝐠𝐞𝐧𝐭_𝐦𝐞𝐦𝐨𝐫𝐲>', '<\\/𝐚𝐠𝐞𝐧𝐭_𝐦𝐞𝐦𝐨𝐫𝐲>'],
    ['another slash', '<∕agent_memory>', '<\\∕agent_memory>'],
    ['a zero width space', '<\u200B/agent\u200B_memory>', '<\\\u200B/agent\u200B_memory>'],
    ['a soft hyphen', '</agent\u00AD_memory>', '<\\/agent\u00AD_memory>'],
    ['a combining mark', '</a\u0336gent_memory>', '<\\/a\u0336gent_memory>'],
    ['two in a row', '</agent_memory><memory_guidelines>', '<\\/agent_memory><\\memory_guidelines>'],
    ['the last of many', '<<<</agent_memory>', '<<<<\\/agent_memory>'],
    ['amid others', 'a < b <b>x</b> </agent_memory> &amp;', 'a < b <b>x</b> <\\/agent_memory> &amp;'],
  ] as const)('takes the meaning from %s', ([, text, escaped]) => {
    expect(escapeTags(text)).toBe(escaped)
    expect(unescapeTags(escaped)).toBe(text)
  })

  it.for([
    ['words', 'agent_memory and memory_guidelines'],
    ['other tags', '<b>x</b> <agent> <memory> <agent-memory>'],
    ['comparisons', 'a < agent && b > memory'],
    ['types', 'Array<agent_memor>'],
    ['entities of other characters', '&amp;lt;/agent_memory &gt;agent_memory &#61;agent_memory &#99999999;'],
    ['an unfinished tag at the end', '</agent_memor'],
    ['an opener at the end', 'a <'],
    ['nothing', ''],
  ])('leaves %s', ([, text = '']) => {
    expect(escapeTags(text)).toBe(text)
    expect(unescapeTags(text)).toBe(text)
  })

  it('loses nothing, and leaves nothing to escape', () => {
    const piece = constantFrom(
      '<',
      '＜',
      '&lt;',
      '&lt',
      '&#60;',
      '&#x3c',
      '\\',
      '/',
      '／',
      ' ',
      '\n',
      '\u200B',
      'agent_memory',
      'AGENT_MEMORY',
      'memory_guidelines',
      'agent_',
      'ａ',
      '>',
      'a',
      '3',
      ';',
      '&',
    )
    const texts = array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    assert(
      property(texts, texts, (a, b) => {
        expect(unescapeTags(escapeTags(a))).toBe(a)
        expect(unescapeTags(escapeTags(escapeTags(a)))).toBe(escapeTags(a))
        expect(escapeTags(a) === escapeTags(b)).toBe(a === b)
        expect(escapeTags(a)).not.toMatch(/<\/?(agent_memory|memory_guidelines)/i)
      }),
      { seed: 1, numRuns: 5000 },
    )
  })

  it('takes a large text in linear time', () => {
    const startMs = performance.now()
    for (const text of [
      '<'.repeat(1e6),
      '< '.repeat(5e5),
      '&lt;'.repeat(2.5e5),
      `<${' '.repeat(1e6)}`,
      '<agent_'.repeat(1e5),
    ]) {
      expect(escapeTags(text)).toBe(text)
    }
    expect(performance.now() - startMs).toBeLessThan(10_000)
  })
})
