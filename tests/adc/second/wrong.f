// The same with a bug, which docs/check-your-rtl.md shows the report of.
+define+SECOND_WRONG
-f second.f
