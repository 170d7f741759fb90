export { backoff } from './backoff.ts'
export { KeepsakeError, throwIfAborted, type ErrorCode, type KeepsakeErrorOptions } from './errors.ts'
export {
  MAX_ENTITY_BYTES,
  MAX_KEY_BYTES,
  MAX_REC_BYTES,
  MAX_SEQ,
  type Bytes,
  type CallOptions,
  type Guard,
  type Range,
  type Row,
  type RowId,
  type RowStore,
  type RowWrite,
  type StoreLimits,
  type WriteResult,
} from './rows/row-store.ts'
export { decideWrite, equalBytes, isSameWrite } from './rows/guard.ts'
export { checkStore } from './rows/check-store.ts'
export { unlessAborted } from './unless-aborted.ts'
export { defineStore, type StoreParts } from './rows/define-store.ts'
export { checkRowWrites } from './rows/row-checks.ts'
export { compareUtf8, prefixEnd, utf8Length } from './rows/utf8.ts'
export { decodeTuple, describeType, descending, encodeTuple, fromDescending, type Key } from './rows/keys.ts'
export { createClock, systemClock, type Clock, type ClockOptions } from './clock.ts'
export { inMemoryStore } from './rows/in-memory-store.ts'
export {
  chatMemory,
  type AppendOptions,
  type ChatMemory,
  type ChatMemoryOptions,
  type Thread,
  type ThreadOptions,
} from './chat/chat-memory.ts'
export { threadTurns, type ReadTurns, type ThreadTurns, type TurnDraft } from './chat/thread-turns.ts'
export type { AppendRow, TurnMark, TurnPlace, TurnRef } from './chat/append-row.ts'
export {
  records,
  reindexRecords,
  type PutOptions,
  type Records,
  type RecordsOptions,
  type SearchOptions,
} from './records/records.ts'
export type { RecordIndexOptions } from './records/index-options.ts'
export type { Entry } from './records/record-rows.ts'
export type { Filter } from './records/filter.ts'
export { decodeEnvelope, encodeEnvelope, peekEnvelope, type Envelope } from './values/envelope.ts'
export { normalise, type Storable } from './values/normalise.ts'
export { ownerEntity, subjectEntity, threadEntity, type Owner } from './owner.ts'
export { openStore, type StoreDriver } from './rows/open-store.ts'
export { parseStoreUri, withOneHost, type StoreUri } from './rows/store-uri.ts'
export { walkEntities, walkRows, type WalkOptions } from './migration/walk-rows.ts'
export {
  migrateRows,
  type MigrateOptions,
  type MigrationEvent,
  type MigrationResult,
} from './migration/migrate-rows.ts'
export { MIGRATION_ENTITY, migrationMark, type MigrationMark } from './migration/migration-mark.ts'
export { compareStores, type CompareOptions, type StoreComparison } from './migration/compare-stores.ts'
export { checkLimit, decodeCursor, encodeCursor } from './cursor.ts'
export { registerSubject, writeRegistered, type Registration } from './lineage.ts'
export {
  eraseSubject,
  type ErasableFiles,
  type EraseOptions,
  type ErasureProgress,
  type ErasureReport,
} from './erasure/erase-subject.ts'
export { exportSubject, type ExportedItem } from './erasure/export-subject.ts'
export { LISTED_SEQ } from './erasure/fence.ts'
export { subjectEntities, type SubjectEntity } from './erasure/subject-entities.ts'
export { markRecalled } from './retention/forgetting.ts'
export {
  createRetention,
  type Forgetting,
  type Retention,
  type RetentionOptions,
  type RetentionRule,
  type SweepOptions,
  type SweepReport,
} from './retention/retention.ts'
export { approveRecord, quarantinedRecords, type QuarantinedEntry } from './records/review.ts'
export { instructionLike, type InstructionSign } from './instructions/instruction-like.ts'
export { isQuarantined, sourceText, trusted, untrustedSources, untrustedText, type Source } from './sources.ts'
export { createListing, type Listing, type ListOptions, type Page } from './listing.ts'
export type {
  AnyMessage,
  ApprovalRequestPart,
  ApprovalResponsePart,
  CustomPart,
  FileData,
  FilePart,
  ImagePart,
  Message,
  ReasoningFilePart,
  ReasoningPart,
  Stored,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
} from './message.ts'
export type { Run, Tool, ToolOptions } from './tool.ts'
export { checkSchema } from './values/standard-schema.ts'
export { inProcessIndex } from './search/in-process-index.ts'
export { createAnalyser, type Analyser } from './search/terms.ts'
export type {
  Recency,
  SearchContext,
  SearchDocument,
  SearchHit,
  SearchIndex,
  SearchQuery,
  VectorSpace,
} from './search/search-index.ts'
export {
  createRanker,
  type AskedQuery,
  type Candidate,
  type ScopeStatistics,
  type SearchRanker,
} from './search/ranker.ts'
export type { AnalysedDocument } from './search/analysed-document.ts'
export type { CorpusStatistics } from './search/rank.ts'
export { checkSpace, checkVector, unrelatedCosine } from './search/vectors.ts'
