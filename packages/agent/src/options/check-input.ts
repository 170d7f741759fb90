import { KeepsakeError, utf8Length, type Message } from '@keepsake/core'
import type { ApprovalAnswer } from '../agent/approvals.ts'
import { copyMessage } from '../convert/as-stored.ts'
import { checkNames, refuse } from './refuse.ts'

/** What `run` was given, checked as far as it can be without the agent. Messages are copies, as they will be stored. */
export interface CheckedInput {
  threadId: string
  runId: string | undefined
  messages: Message[]
  /** Instead of messages: answers to a suspended run. */
  approvals: ApprovalAnswer[] | undefined
  context: unknown
  signal: AbortSignal | undefined
}

const NAMES = ['threadId', 'runId', 'prompt', 'messages', 'approvals', 'context', 'signal']
/** An id becomes part of a row's key, which has 1,024 bytes. */
const MAX_ID_BYTES = 512
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ['text', 'image', 'file'],
  assistant: [
    'text',
    'file',
    'reasoning',
    'reasoning-file',
    'custom',
    'tool-call',
    'tool-result',
    'tool-approval-request',
  ],
  tool: ['tool-result', 'tool-approval-response'],
}

/** Throws `invalid_value` that names what is wrong, before anything is read, called or written. */
export function checkInput(input: unknown): CheckedInput {
  if (typeof input !== 'object' || input === null) throw refuse('The input of a run', 'an object', input)
  checkNames('run', input, NAMES)
  const { threadId, runId, prompt, messages, approvals, context, signal } = input as Record<string, unknown>
  checkId('threadId', threadId)
  if (runId !== undefined) checkId('runId', runId)
  checkSignal(signal)
  if ([prompt, messages, approvals].filter((each) => each !== undefined).length !== 1) {
    throw new KeepsakeError('invalid_value', 'A run takes either prompt or messages, or approvals: pass one of them.')
  }
  const whole = { threadId, runId, approvals: undefined, context, signal }
  if (approvals !== undefined) return { ...whole, messages: [], approvals: checkApprovals(approvals) }
  if (prompt === undefined) return { ...whole, messages: checkMessages(messages) }
  if (typeof prompt !== 'string' || prompt === '') throw refuse('prompt', 'a text that is not empty', prompt)
  return { ...whole, messages: [{ role: 'user', content: prompt }] }
}

function checkApprovals(approvals: unknown): ApprovalAnswer[] {
  if (!Array.isArray(approvals) || approvals.length === 0)
    throw refuse('approvals', 'a list of answers, one for each call that waits', approvals)
  return approvals.map((given: unknown, index) => {
    const { approvalId, approved, reason } = (given ?? {}) as Record<string, unknown>
    const where = `approvals[${index}]`
    if (typeof approvalId !== 'string' || approvalId === '')
      throw refuse(`${where}.approvalId`, 'the id that came with the call', approvalId)
    if (typeof approved !== 'boolean') throw refuse(`${where}.approved`, 'true or false', approved)
    if (reason !== undefined && typeof reason !== 'string') throw refuse(`${where}.reason`, 'a text', reason)
    return { approvalId, approved, ...(reason !== undefined && { reason }) }
  })
}

function checkSignal(signal: unknown): asserts signal is AbortSignal | undefined {
  if (signal === undefined || typeof (signal as AbortSignal | null)?.addEventListener === 'function') return
  throw refuse('signal', 'an AbortSignal', signal)
}

function checkId(name: string, id: unknown): asserts id is string {
  if (typeof id !== 'string' || id === '') throw refuse(name, 'a text that is not empty', id)
  if (!id.isWellFormed()) throw refuse(name, 'well-formed Unicode: half of a surrogate pair cannot be stored', id)
  if (utf8Length(id) > MAX_ID_BYTES) throw refuse(name, `at most ${MAX_ID_BYTES} bytes of UTF-8`, id)
}

function checkMessages(messages: unknown): Message[] {
  if (!Array.isArray(messages)) throw refuse('messages', 'a list of messages', messages)
  if (messages.length === 0) throw new KeepsakeError('invalid_value', 'messages is empty: a run needs at least one.')
  const calls = new Map<string, string>()
  messages.forEach((message: unknown, index) => checkMessage(message, `messages[${index}]`, calls))
  for (const [, where] of calls) {
    throw new KeepsakeError(
      'invalid_value',
      `${where} is a call without a result: no model could read the thread. Add its result.`,
    )
  }
  return messages.map((message: Message, index) => copyMessage(message, `messages[${index}]`))
}

/** `calls` are those that wait for their result: id -> where. */
function checkMessage(message: unknown, where: string, calls: Map<string, string>): void {
  if (typeof message !== 'object' || message === null) throw refuse(where, 'a message with role and content', message)
  const { role, content } = message as { role?: unknown; content?: unknown }
  if (role === 'system') {
    if (typeof content !== 'string') throw refuse(`${where}.content`, 'a text', content)
    return
  }
  const known = typeof role === 'string' && Object.hasOwn(PARTS, role) ? PARTS[role] : undefined
  if (known === undefined) throw refuse(`${where}.role`, 'system, user, assistant or tool', role)
  if (typeof content === 'string' && role !== 'tool') return
  if (!Array.isArray(content))
    throw refuse(`${where}.content`, role === 'tool' ? 'a list of parts' : 'a text or a list of parts', content)
  content.forEach((part: unknown, index) => checkPart(part, `${where}.content[${index}]`, known, calls))
}

function checkPart(part: unknown, where: string, known: readonly string[], calls: Map<string, string>): void {
  const { type, toolCallId, toolName, providerExecuted, text } = (part ?? {}) as Record<string, unknown>
  if (!known.includes(type as string)) throw refuse(`${where}.type`, `one of ${known.join(', ')}`, type)
  if ((type === 'text' || type === 'reasoning') && typeof text !== 'string')
    throw refuse(`${where}.text`, 'a text', text)
  if (type !== 'tool-call' && type !== 'tool-result') return
  if (typeof toolCallId !== 'string' || toolCallId === '')
    throw refuse(`${where}.toolCallId`, 'a text that is not empty', toolCallId)
  if (typeof toolName !== 'string' || toolName === '')
    throw refuse(`${where}.toolName`, 'a text that is not empty', toolName)
  if (type === 'tool-call') {
    if (calls.has(toolCallId)) throw new KeepsakeError('invalid_value', `${where} has the id of another call.`)
    if (providerExecuted !== true) calls.set(toolCallId, where)
  } else if (known !== PARTS['assistant'] && !calls.delete(toolCallId)) {
    throw new KeepsakeError(
      'invalid_value',
      `${where} is a result without its call before it: no model could read the thread.`,
    )
  }
}
