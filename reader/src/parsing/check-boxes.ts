/** Printed check boxes, shared by all formats. */
export const [TICKED, UNTICKED] = ['☒', '☐'];
