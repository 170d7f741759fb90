import type { JSONValue } from '@ai-sdk/provider'
import { KeepsakeError, type ApprovalRequestPart, type ApprovalResponsePart, type Run } from '@keepsake/core'
import { asStored } from '../convert/as-stored.ts'
import type { AnsweredCall } from '../convert/from-content.ts'
import type { AgentSetup } from '../options/check-options.ts'
import { refuse } from '../options/refuse.ts'
import type { ToolSchemas } from '../tools/tool-schemas.ts'
import type { ToolMap } from '../tools/tools.ts'
import type { FileAsks } from './run-files.ts'
import { during } from './run-failed.ts'
import type { ToolCall } from './run-result.ts'

interface Decided {
  type: 'approved' | 'denied' | 'user-approval'
  reason?: string
  /** What a rule of the files asks about, such as `editing /a.md`. */
  file?: string
}

/** Whether a tool may run: the values are those of ai 7's `toolApproval`. `undefined` and `not-applicable`: it may. */
export type Approval =
  | undefined
  | 'not-applicable'
  | Decided['type']
  | { type: 'not-applicable'; reason?: never }
  | Pick<Decided, 'type' | 'reason'>

/** By tool: whether its calls may run, or a function that says so for each call. */
export type ToolApproval = Record<
  string,
  Approval | ((input: any, options: { toolContext: any }) => Approval | Promise<Approval>)
>

/** A call that somebody has to allow. */
export type OpenApproval = ToolCall & { approvalId: string; reason?: string }

/** What somebody said to it. */
export interface ApprovalAnswer {
  approvalId: string
  approved: boolean
  reason?: string
}

/** What a suspended run asks: enough to show it to somebody, in any process. */
export interface ApprovalQuestion {
  approvals: OpenApproval[]
  /** What the run has said so far, its input first. */
  messages: JSONValue
  usage: JSONValue
}

/** What was decided of a step's calls, by the ids of the calls. Those that may run are left out. */
export type Decisions = Readonly<Record<string, Decided>>

/** Whether a function or a rule of files decides one of the calls: what it says is kept, as it may say another thing later. */
export function needsAsking(
  calls: readonly AnsweredCall[],
  { toolApproval }: AgentSetup,
  asks: FileAsks | undefined,
): boolean {
  return calls.some(
    ({ part: { toolName, input } }) =>
      typeof approvalOf(toolApproval, toolName) === 'function' || asks?.(toolName, input) !== undefined,
  )
}

/** Decides the calls of a step. Calls that cannot run anyway are nobody's to allow. */
export async function decideCalls(
  calls: readonly AnsweredCall[],
  { toolApproval }: AgentSetup,
  { tools, schemas, run, asks }: { tools: ToolMap; schemas: ToolSchemas; run: Run; asks: FileAsks | undefined },
): Promise<Decisions> {
  const decided: Record<string, Decided> = {}
  for (const { part, problem } of calls) {
    const { toolCallId, toolName } = part
    const tool = tools.get(toolName)
    const approval = approvalOf(toolApproval, toolName)
    if (tool === undefined || problem !== undefined) continue
    if (approval === undefined && asks === undefined) continue
    const checked = await schemas.check(tool, asStored({ input: part.input }).input)
    if (checked.problem !== undefined) continue
    const given: unknown =
      typeof approval === 'function'
        ? await during(`toolApproval of the tool "${toolName}"`, () =>
            approval(checked.input, { toolContext: run.context }),
          )
        : approval
    const one = withFile(readApproval(given, toolName), asks?.(toolName, checked.input))
    if (one !== undefined) decided[toolCallId] = one
  }
  return decided
}

/** Whatever else allows a call, a rule that asks for its file asks. */
function withFile(decided: Decided | undefined, file: string | undefined): Decided | undefined {
  if (file === undefined || decided?.type === 'denied') return decided
  return { reason: `A rule asks before ${file}.`, ...decided, type: 'user-approval', file }
}

/** What the model is told of a call that somebody has not allowed: of files what their tools say. */
export function denialOf(decided: Decided | undefined, reason: string | undefined): string | undefined {
  if (decided?.file === undefined) return reason
  const refusal = `Error: Permission denied ${decided.file}`
  return reason === undefined ? refusal : `${refusal}: ${reason}`
}

function approvalOf(toolApproval: ToolApproval | undefined, toolName: string): ToolApproval[string] {
  return toolApproval !== undefined && Object.hasOwn(toolApproval, toolName) ? toolApproval[toolName] : undefined
}

/** Throws for what is none: a typing error must not let a call run. */
export function readApproval(given: unknown, toolName: string): Decided | undefined {
  const { type, reason } =
    typeof given === 'object' && given !== null
      ? (given as { type?: unknown; reason?: unknown })
      : { type: given, reason: undefined }
  if (type === undefined && given === undefined) return undefined
  if (type === 'not-applicable' || type === 'approved') return undefined
  if (type !== 'denied' && type !== 'user-approval') {
    throw refuse(
      `toolApproval of the tool "${toolName}"`,
      "'approved', 'denied', 'user-approval' or 'not-applicable', or a function that gives one",
      given,
    )
  }
  return { type, ...(typeof reason === 'string' && { reason }) }
}

/** The calls that somebody has to allow. Their ids name the run, so that an answer finds it. */
export function openApprovals(calls: readonly AnsweredCall[], decisions: Decisions, runId: string): OpenApproval[] {
  return calls.flatMap(({ part: { toolCallId, toolName, input } }) => {
    const decided = Object.hasOwn(decisions, toolCallId) ? decisions[toolCallId] : undefined
    if (decided?.type !== 'user-approval') return []
    const { reason } = decided
    return [
      { approvalId: `${toolCallId}@${runId}`, toolCallId, toolName, input, ...(reason !== undefined && { reason }) },
    ]
  })
}

/** Whether these are answers to what the run asks, or asked. */
export function isOfRun(answers: readonly ApprovalAnswer[], runId: string): boolean {
  return answers.every(({ approvalId }) => approvalId.endsWith(`@${runId}`))
}

export function requestParts(approvals: readonly OpenApproval[]): ApprovalRequestPart[] {
  return approvals.map(({ approvalId, toolCallId, reason }) => ({
    type: 'tool-approval-request',
    approvalId,
    toolCallId,
    ...(reason !== undefined && { reason }),
  }))
}

export function responseParts(answers: readonly ApprovalAnswer[]): ApprovalResponsePart[] {
  return answers.map((answer) => ({ type: 'tool-approval-response', ...answer }))
}

/** The answers in the order of the questions. Throws `invalid_value` unless each is answered once. */
export function matchAnswers(approvals: readonly OpenApproval[], answers: readonly ApprovalAnswer[]): ApprovalAnswer[] {
  const byId = new Map(answers.map((answer) => [answer.approvalId, answer]))
  const missing = approvals.filter(({ approvalId }) => !byId.has(approvalId)).length
  if (missing > 0 || byId.size !== approvals.length || byId.size !== answers.length) {
    throw new KeepsakeError(
      'invalid_value',
      `approvals must answer each of the ${approvals.length} calls that wait, once, and no other; pass those that the suspended run gave. Nothing was run.`,
    )
  }
  return approvals.map(({ approvalId }) => byId.get(approvalId)!)
}
