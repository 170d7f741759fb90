import type { JSONValue, SharedV4FileData, SharedV4ProviderOptions, SharedV4ProviderReference } from '@ai-sdk/provider'

interface WithProviderOptions {
  /** Passed through to the model's provider and stored with the part. */
  providerOptions?: SharedV4ProviderOptions
}

/** The forms that a file's content may take. URLs are stored as strings, buffers as bytes. */
export type FileData =
  | SharedV4FileData
  | { type: 'data'; data: string | Uint8Array | ArrayBuffer }
  | SharedV4ProviderReference
  | string
  | Uint8Array
  | ArrayBuffer
  | URL

export interface TextPart extends WithProviderOptions {
  type: 'text'
  text: string
}

export interface ImagePart extends WithProviderOptions {
  type: 'image'
  image: SharedV4ProviderReference | string | Uint8Array | ArrayBuffer | URL
  mediaType?: string
}

export interface FilePart extends WithProviderOptions {
  type: 'file'
  data: FileData
  mediaType: string
  filename?: string
}

export interface ReasoningPart extends WithProviderOptions {
  type: 'reasoning'
  text: string
}

export interface ReasoningFilePart extends WithProviderOptions {
  type: 'reasoning-file'
  // oxlint-disable-next-line typescript/no-explicit-any -- ai's own type here; kept assignable both ways
  data: any
  mediaType: string
}

export interface CustomPart extends WithProviderOptions {
  type: 'custom'
  kind: `${string}.${string}`
}

export interface ToolCallPart extends WithProviderOptions {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
  providerExecuted?: boolean
}

export interface ToolResultPart extends WithProviderOptions {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: ToolOutput
}

export type ToolOutput = WithProviderOptions &
  (
    | { type: 'text' | 'error-text'; value: string }
    | { type: 'json' | 'error-json'; value: JSONValue }
    | { type: 'execution-denied'; reason?: string }
    // oxlint-disable-next-line typescript/no-explicit-any -- ai's own type here; kept assignable both ways
    | { type: 'content'; value: any[] }
  )

export interface ApprovalRequestPart {
  type: 'tool-approval-request'
  approvalId: string
  toolCallId: string
  reason?: string
  isAutomatic?: boolean
}

export interface ApprovalResponsePart {
  type: 'tool-approval-response'
  approvalId: string
  approved: boolean
  reason?: string
  providerExecuted?: boolean
}

interface MessageBase extends WithProviderOptions {
  id?: string
  /** Unix milliseconds. */
  createdAtMs?: number
  /**
   * The untrusted results that it was made after reading, as `untrustedText` writes them: what is derived from the message
   * is derived from those. Kept with it, and no part of what a model is sent.
   */
  untrusted?: string[]
}

/** A message of a conversation: mutually assignable with ai 7's `ModelMessage`, with an id and a time. */
export type Message =
  | (MessageBase & { role: 'system'; content: string })
  | (MessageBase & { role: 'user'; content: string | (TextPart | ImagePart | FilePart)[] })
  | (MessageBase & {
      role: 'assistant'
      content:
        | string
        | (
            | TextPart
            | FilePart
            | ReasoningPart
            | ReasoningFilePart
            | CustomPart
            | ToolCallPart
            | ToolResultPart
            | ApprovalRequestPart
          )[]
    })
  | (MessageBase & { role: 'tool'; content: (ToolResultPart | ApprovalResponsePart)[] })

/** What chat memory stores: {@link Message}, ai's `ModelMessage` or `UIMessage`, or a type of your own. */
export interface AnyMessage {
  role: string
  id?: string
}

/** A message as it is read back. */
export type Stored<T> = T & { id: string; createdAtMs: number }
