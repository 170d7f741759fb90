import { chatMemory, type AnyMessage, type Stored } from '@keepsake/core'
import { notFoundError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { toJsonValue } from '../json-value.ts'
import { messageLines } from '../message-lines.ts'
import { formatTime } from '../quantities.ts'
import { safeLine } from '../safe-text.ts'

export interface ThreadShowOptions {
  last?: number
}

/** Shows the messages of a conversation, oldest first. */
export async function run(context: Context, threadId: string, { last }: ThreadShowOptions): Promise<void> {
  const { out } = context
  await using store = await context.openStore()
  const chat = chatMemory<AnyMessage>(store)
  const messages = await chat.messages(threadId, last === undefined ? {} : { last })
  if (messages.length === 0) {
    throw notFoundError(`There is no thread ${safeLine(threadId)}. See them all with: keepsake threads`)
  }
  for (const [index, message] of messages.entries()) {
    if (out.json) await out.record(toJsonValue(message))
    else await show(context, message, index > 0)
  }
}

async function show({ out }: Context, message: Stored<AnyMessage>, apart: boolean): Promise<void> {
  if (apart) await out.line('')
  const role = out.style(['bold'], safeLine(message.role))
  await out.line(`${role}  ${out.style('dim', `${formatTime(message.createdAtMs)}  ${safeLine(message.id)}`)}`)
  for (const line of messageLines(message)) await out.line(`  ${line}`.trimEnd())
}
