export {
  MAX_FILE_BYTES,
  type ChangeOptions,
  type Failure,
  type FileCallOptions,
  type FileErrorCode,
  type FileInfo,
  type FileOrigin,
  type Files,
  type GrepMatch,
  type Result,
} from './files.ts'
export { rowFiles } from './row-files.ts'
export { stateFiles, type FileState } from './state-files.ts'
export { compositeFiles, type CompositeFilesOptions } from './composite-files.ts'
export { refuseInstructions } from './refuse-instructions.ts'
export {
  withPermissions,
  type Permission,
  type PermissionRequest,
  type WithPermissionsOptions,
} from './with-permissions.ts'
export { fileApproval, type AskingFiles, type FileOperation } from './file-approval.ts'
export type { FileToolName } from './file-tool-schemas.ts'
export { fileTools } from './file-tools.ts'
export { memoryPrompt, type MemoryPromptOptions } from './memory-prompt.ts'
export { quarantinedFiles, type QuarantinedFile } from './quarantined-files.ts'
export { pathSegment } from './path-segment.ts'
export { createMemoryToolset, type MemoryToolset, type TopicInfo } from './toolset/memory-toolset.ts'
export type { ToolsetOptions } from './toolset/toolset-options.ts'
export type { FlushOptions, FlushResult } from './toolset/flush-copy.ts'
export type { CopyChangeOptions, MemoryCopy, TextEdit } from './toolset/memory-copy.ts'
export { memoryTools, type MemoryToolName, type MemoryToolsOptions } from './toolset/memory-tools.ts'
export { memoryReads, type FileReads, type MemoryReads } from './toolset/memory-reads.ts'
export { readFrontMatter, type FrontMatter } from './front-matter.ts'
export {
  createMemoryConsolidator,
  type ApplyOptions,
  type AskedAnswer,
  type ConsolidationOptions,
  type ConsolidationResult,
  type ConsolidatorOptions,
  type MemoryConsolidator,
} from './consolidation/memory-consolidator.ts'
export type { AppliedAnswer, Refusal, RefusalCode } from './consolidation/apply-answer.ts'
export type { ConsolidationAnswer, ConsolidationChange } from './consolidation/consolidation-answer.ts'
export {
  backgroundConsolidation,
  type BackgroundConsolidation,
  type BackgroundConsolidationOptions,
  type ThreadConsolidation,
} from './consolidation/background-consolidation.ts'
export {
  progressFiles,
  type CheckOutcome,
  type ProgressCallOptions,
  type ProgressFiles,
  type ProgressOptions,
  type ProgressToolName,
} from './progress/progress-files.ts'
export type { Feature } from './progress/features.ts'
export { findSkills, skillsPrompt, type Skill, type SkillsPromptOptions } from './skills-prompt.ts'
export { topicIndex, type TopicIndex, type TopicText } from './toolset/topic-index.ts'
