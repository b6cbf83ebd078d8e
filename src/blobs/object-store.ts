/** The interface of stores for large blobs. */

/** The name of an object. Names are never reused. The id is a UUIDv7, so it contains the time when the object was created. */
export interface ObjectName {
  readonly projectId: string;
  readonly id: string;
}

/** The bytes from `start` up to but not including `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A store for large blobs. All operations are idempotent, and throw an error if the store cannot be reached or has no space. */
export interface ObjectStore {
  /** Stores an object. The object and its name are durable once the promise resolves. */
  put(name: ObjectName, bytes: Uint8Array): Promise<void>;
  /** Reads an object. Returns null if the object does not exist. A range is truncated at the end of the object. */
  get(name: ObjectName, range?: ByteRange): Promise<Buffer | null>;
  /** Deletes an object. Also succeeds if the object does not exist. */
  delete(name: ObjectName): Promise<void>;
  /**
   * All objects that existed when the listing began, in no particular order. Files that are not objects are skipped.
   * @param projectId lists only the objects of this project. Default: all projects
   */
  list(projectId?: string): AsyncIterable<ObjectName>;
}
