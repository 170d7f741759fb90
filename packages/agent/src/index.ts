export { createAgent, type Agent } from './agent/agent.ts'
export type { Limits } from './agent/limits.ts'
export type { Middleware, RunHooks } from './agent/middleware.ts'
export { recallMiddleware, type RecallMiddlewareOptions } from './agent/recall-middleware.ts'
export type { FinishReason, RunResult, ToolCall, Usage } from './agent/run-result.ts'
export { fromContent, type AssistantPart } from './convert/from-content.ts'
export { fromPrompt } from './convert/from-prompt.ts'
export { toContent } from './convert/to-content.ts'
export { toPrompt } from './convert/to-prompt.ts'
export type { AgentOptions, HistoryOption } from './options/agent-options.ts'
export { isRemembering, markRemembering } from './options/remembering-model.ts'
export type { RunInput } from './options/run-input.ts'
export { answerBuilder, type AnswerBuilder } from './stream/answer-builder.ts'
export type { RunStream } from './stream/run-stream.ts'
export type { StepPerformance, StreamPart } from './stream/stream-part.ts'
export { recordTools, type Memory, type RecordToolsOptions } from './tools/record-tools.ts'
export { threadSearchTool, type FoundMessage, type ThreadSearchToolOptions } from './tools/thread-search-tool.ts'
export type { Tools } from './tools/tools.ts'
export type { Run, Tool, ToolOptions } from '@keepsake/core'
export {
  createMemoryCurator,
  type CurationResult,
  type CuratorOptions,
  type MemoryCurator,
} from './curator/memory-curator.ts'
