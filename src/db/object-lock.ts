/**
 * The name of the advisory lock under which objects lose their rows. A backup shares it from before its snapshot until its end: the
 * objects of all rows that it sees are there when it reads them.
 */
export const OBJECT_LOCK = 7_340_029;
