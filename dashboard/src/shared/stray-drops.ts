/** Keeps the browser from opening a file, instead of the page, that is dropped where nothing takes it. */
export function ignoreStrayDrops(place: GlobalEventHandlers): void {
  place.addEventListener("dragover", ignore);
  place.addEventListener("drop", ignore);
}

function ignore(event: DragEvent): void {
  const { target, dataTransfer } = event;
  if (event.defaultPrevented || dataTransfer === null || !dataTransfer.types.includes("Files")) return;
  if (target instanceof HTMLInputElement && target.type === "file") return;
  event.preventDefault();
  dataTransfer.dropEffect = "none";
}
