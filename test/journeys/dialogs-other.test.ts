import { lookAtDialogs } from "./check-dialogs.ts";
import { OTHER_DIALOGS } from "./dialogs.ts";

lookAtDialogs(OTHER_DIALOGS);
