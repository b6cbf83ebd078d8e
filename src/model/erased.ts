/** Stands where the address of somebody stood who was erased (RFC 2606, section 2: nobody can have it). */
export const ERASED = 'erased@erased.invalid';
