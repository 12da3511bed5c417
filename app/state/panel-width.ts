export const PANEL_MIN = 280;
export const TALK_MIN = 500;
/** Dragged narrower than this, the panel folds. */
export const PANEL_FOLD = 200;

/** The panel's width for the room that conversation and panel share. */
export function panelWidth(room: number, ratio: number): number {
  return Math.round(Math.max(PANEL_MIN, Math.min(room * ratio, room - TALK_MIN)));
}
