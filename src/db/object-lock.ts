/**
 * Advisory lock under which the rows of objects are deleted. A backup shares it from before its snapshot until its end, so the objects of all rows in
 * the snapshot exist when it reads them.
 */
export const OBJECT_LOCK = 7_340_029;
