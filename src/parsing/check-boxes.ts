/** Check boxes of forms as they are printed, the same in every format. */
export const [TICKED, UNTICKED] = ['☒', '☐'];
