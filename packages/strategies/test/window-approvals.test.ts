import { approves, asks, callPart, calls, providerCall, resultPart, results, say, user } from './messages.ts'
import { testWindowCases } from './window-cases.ts'

testWindowCases('calls that the provider runs', [
  {
    name: 'call and result in one message',
    messages: [user('a'), providerCall('p1', true), user('b'), providerCall('p2', true)],
    kept: { 1: [3], 2: [2, 3], 3: [1, 2, 3] },
  },
  {
    name: 'a result that comes in a later message',
    messages: [
      user('a'),
      { role: 'assistant', content: [{ ...callPart('p1'), providerExecuted: true }, callPart('c1')] },
      results('c1'),
      { role: 'assistant', content: [resultPart('p1'), { type: 'text', text: 'b' }] },
      user('c'),
    ],
    kept: { 1: [4], 3: [4], 4: [1, 2, 3, 4] },
  },
  {
    name: 'a provider that shows no results: nothing is missing',
    messages: [user('a'), providerCall('p1', false), user('b'), say('c')],
    kept: { 1: [3], 3: [1, 2, 3], 4: [0, 1, 2, 3] },
  },
  {
    name: 'a result that may still come holds everything since its call',
    messages: [user('a'), providerCall('p1', false), calls('c1'), results('c1')],
    kept: { 0: [1, 2, 3], 2: [1, 2, 3], 4: [0, 1, 2, 3] },
  },
  {
    name: 'a call that is shown again after its approval',
    messages: [
      user('a'),
      {
        role: 'assistant',
        content: [
          { ...callPart('p1'), providerExecuted: true },
          { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'p1' },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: true, providerExecuted: true }],
      },
      providerCall('p1', true),
      user('b'),
    ],
    kept: { 1: [4], 3: [4], 4: [1, 2, 3, 4], 5: [0, 1, 2, 3, 4] },
  },
  {
    name: 'an approval that the provider asked for and a user message overtook',
    messages: [
      user('a'),
      {
        role: 'assistant',
        content: [
          { ...callPart('p1'), providerExecuted: true },
          { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'p1' },
        ],
      },
      user('b'),
    ],
    kept: { 1: [2], 3: [0, 2] },
  },
])

testWindowCases('approvals of calls that the provider runs', [
  {
    name: 'an approval that was given and a result that is not shown: nothing is missing',
    messages: [
      user('a'),
      {
        role: 'assistant',
        content: [
          { ...callPart('p1'), providerExecuted: true },
          { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'p1' },
        ],
      },
      approves('a1'),
      say('b'),
      user('c'),
    ],
    kept: { 1: [4], 2: [3, 4], 3: [3, 4], 4: [1, 2, 3, 4], 5: [0, 1, 2, 3, 4] },
  },
])

testWindowCases('approvals', [
  {
    name: 'request, response and result belong to the call',
    messages: [user('a'), asks('c1', 'a1'), approves('a1'), results('c1'), say('b')],
    kept: { 1: [4], 3: [4], 4: [1, 2, 3, 4] },
  },
  {
    name: 'a call at the end that waits for approval stays',
    messages: [user('a'), say('b'), user('c'), asks('c1', 'a1')],
    kept: { 0: [3], 1: [3], 2: [2, 3], 4: [0, 1, 2, 3] },
  },
  {
    name: 'an approval at the end that waits to be carried out stays',
    messages: [user('a'), asks('c1', 'a1'), approves('a1')],
    kept: { 0: [1, 2], 1: [1, 2], 2: [1, 2], 3: [0, 1, 2] },
  },
  {
    name: 'of parallel calls one waits for approval',
    messages: [
      user('a'),
      {
        role: 'assistant',
        content: [
          callPart('c1'),
          callPart('c2'),
          { type: 'tool-approval-request', approvalId: 'a2', toolCallId: 'c2' },
        ],
      },
      results('c1'),
    ],
    kept: { 0: [1, 2], 2: [1, 2], 3: [0, 1, 2] },
  },
  {
    name: 'a request that a user message overtook was given up',
    messages: [user('a'), asks('c1', 'a1'), user('b')],
    kept: { 1: [2], 2: [0, 2], 3: [0, 2] },
  },
  {
    name: 'a late response makes the call awaited again',
    messages: [user('a'), asks('c1', 'a1'), user('b'), approves('a1')],
    kept: { 0: [1, 2, 3], 1: [1, 2, 3], 4: [0, 1, 2, 3] },
  },
  {
    name: 'the request stands before its call in the message',
    messages: [
      {
        role: 'assistant',
        content: [{ type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' }, callPart('c1')],
      },
      approves('a1'),
      results('c1'),
      user('a'),
    ],
    kept: { 1: [3], 3: [3], 4: [0, 1, 2, 3] },
  },
  {
    name: 'a response without a request cannot be sent',
    messages: [user('a'), approves('a9'), say('b')],
    kept: { 1: [2], 2: [0, 2], 3: [0, 2] },
  },
  {
    name: 'a request without a call cannot be sent, nor its response',
    messages: [
      user('a'),
      { role: 'assistant', content: [{ type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c9' }] },
      approves('a1'),
      user('b'),
    ],
    kept: { 1: [3], 2: [0, 3], 4: [0, 3] },
  },
])
