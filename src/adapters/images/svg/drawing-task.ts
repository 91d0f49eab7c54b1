/** What the thread that cleans drawings is given. */
export interface DrawingTask {
  text: string;
}

/** What it answers. */
export interface CleanedDrawing {
  text: string;
  width: number;
  height: number;
  removed: string[];
}
