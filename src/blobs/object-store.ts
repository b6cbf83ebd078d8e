/** The interface of stores for large blobs. */

/** Names are never reused. The id is a UUIDv7, so it contains the time when the object was created. */
export interface ObjectName {
  readonly projectId: string;
  readonly id: string;
}

/** The bytes from `start` up to but not including `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** All operations are idempotent. They throw if the store cannot be reached or has no space. */
export interface ObjectStore {
  /** Stores an object durably, including its name. Do not rely on the object before this resolves. */
  put(name: ObjectName, bytes: Uint8Array): Promise<void>;
  /** Reads an object. Returns null if the object does not exist. A range is truncated at the end of the object. */
  get(name: ObjectName, range?: ByteRange): Promise<Buffer | null>;
  /** Deletes an object. Also succeeds if the object does not exist. */
  delete(name: ObjectName): Promise<void>;
  /**
   * All objects that existed when the listing began, in no particular order. Skips other files.
   * @param projectId only objects of this project
   */
  list(projectId?: string): AsyncIterable<ObjectName>;
}
