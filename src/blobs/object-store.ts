/** Where large bytes are: the one interface to it. */

/** No object ever has the name of another one. The id is a UUIDv7: it says when the object was made. */
export interface ObjectName {
  readonly projectId: string;
  readonly id: string;
}

/** From `start` up to and not including `end`, in bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Every operation can be repeated. Each throws where the place itself cannot be reached or has no space. */
export interface ObjectStore {
  /** When it resolves, the object is on the disk, with its name. Before that nobody may rely on it. */
  put(name: ObjectName, bytes: Uint8Array): Promise<void>;
  /** null: there is no such object. A range beyond the end is cut off there. */
  get(name: ObjectName, range?: ByteRange): Promise<Buffer | null>;
  /** An object that is not there is deleted already. */
  delete(name: ObjectName): Promise<void>;
  /**
   * All objects that were there when it began, in no order. What is no object of ours is left out.
   * @param projectId only those of this project
   */
  list(projectId?: string): AsyncIterable<ObjectName>;
}
