import { expect, it } from 'vitest'
import { messageLines } from '../src/message-lines.ts'

it.each<[what: string, message: object, lines: string[]]>([
  ['plain text', { role: 'user', content: 'a\nb' }, ['a', 'b']],
  [
    'media by kind and size',
    {
      role: 'user',
      content: [
        { type: 'file', mediaType: 'image/png', filename: 'a.png', data: new Uint8Array(2345) },
        { type: 'image', image: 'AAAA' },
        { type: 'file', mediaType: 'text/html', data: 'https://example.com/a' },
        { type: 'file', mediaType: 'audio/wav', data: { type: 'reference', id: 'x' } },
      ],
    },
    ['[image/png a.png 2.3 kB]', '[image 3 B]', '[text/html https://example.com/a]', '[audio/wav]'],
  ],
  [
    'results of tools',
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolName: 'a', output: { type: 'text', value: 'x\ny' } },
        { type: 'tool-result', toolName: 'b', output: { type: 'error-text', value: 'no' } },
        { type: 'tool-result', toolName: 'c', output: { type: 'error-json', value: { code: 1 } } },
        { type: 'tool-result', toolName: 'd', output: { type: 'execution-denied', reason: 'never' } },
        { type: 'tool-result', toolName: 'e\u001b' },
      ],
    },
    [
      '← a x',
      'y',
      '← b failed: no',
      '← c {"code":1}',
      '← d {"type":"execution-denied","reason":"never"}',
      String.raw`← e\u001b `,
    ],
  ],
  [
    'parts that are not known, as JSON',
    { role: 'user', content: [{ type: 'custom', kind: 'a.b' }, 'text', null] },
    ['{"type":"custom","kind":"a.b"}', '"text"', 'null'],
  ],
  ['messages that are not known, as JSON', { role: 'x', body: '\u202e' }, [String.raw`{"role":"x","body":"\u202e"}`]],
])('%s', (_, message, lines) => {
  expect(messageLines(message)).toEqual(lines)
})
