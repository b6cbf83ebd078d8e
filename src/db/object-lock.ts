/**
 * Advisory lock under which the database rows of stored objects are deleted. A backup holds the lock in shared mode from before its
 * snapshot until the backup ends, so that the objects of all rows in the snapshot still exist when the backup reads them.
 */
export const OBJECT_LOCK = 7_340_029;
